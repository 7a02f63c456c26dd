/** Records the servers that a test starts; `judge` fails the test where they broke the protocol. */
export class Recorder {
  constructor(options?: {
    /** The least severity that counts; `error` by default. */
    failOn?: "error" | "warning" | "note" | "none";
    /** Codes of rules that do not count. */
    ignore?: string[];
    /** The program, where it is not the one of this package. */
    binary?: string;
    /** Where recordings lie; a new temporary folder by default. */
    folder?: string;
  });
  readonly folder: string;
  /** The recordings so far, each part a file. */
  readonly recordings: string[];
  /** The command line of a server, recorded: the program, then its arguments. */
  command(...argv: string[]): string[];
  /** Audits what was not audited before, or has grown since. Throws with the findings that count. */
  judge(): Finding[];
}

/** A line of `rpctape check --format jsonl`. */
export interface Finding {
  code: string;
  rule: string;
  severity: "error" | "warning" | "note";
  certainty: "violation" | "race" | "undecidable";
  source: string;
  line: number;
  summary: string;
  [member: string]: unknown;
}
