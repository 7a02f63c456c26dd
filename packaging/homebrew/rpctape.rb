# Formula for a tap. `packaging/homebrew/fill.sh HOMEPAGE URL SHA256` fills in what a release knows; not run where this was written.
class Rpctape < Formula
  desc "Flight recorder and auditor for JSON-RPC traffic"
  homepage "@HOMEPAGE@"
  url "@URL@"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    man1.mkpath
    system bin/"rpctape", "man", "--out-dir", man1
    generate_completions_from_executable(bin/"rpctape", "completions")
  end

  test do
    (testpath/"a.jsonl").write "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n"
    assert_match "jsonrpc", shell_output("#{bin}/rpctape ls a.jsonl")
  end
end
