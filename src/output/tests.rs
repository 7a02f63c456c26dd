use super::*;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("listed");
    let mut names: Vec<_> = entries.map(|entry| entry.expect("read").file_name().to_string_lossy().into()).collect();
    names.sort();
    names
}

#[test]
fn a_file_has_its_name_only_when_it_is_complete() {
    let folder = folder();
    let path = folder.path().join("a");
    std::fs::write(&path, "old").expect("written");
    let mut output = Output::create(&path, Readers::Owner).expect("begun");
    output.write_all(b"half").expect("written");
    output.flush().expect("flushed");
    assert_eq!(std::fs::read(&path).expect("read"), b"old");
    drop(output);
    assert_eq!((names(folder.path()), std::fs::read(&path).expect("read")), (vec!["a".to_string()], b"old".to_vec()));
    write(&path, b"new", Readers::Owner).expect("written");
    assert_eq!((names(folder.path()), std::fs::read(&path).expect("read")), (vec!["a".to_string()], b"new".to_vec()));
}

#[test]
fn a_folder_is_refused() {
    let folder = folder();
    assert!(write(folder.path(), b"x", Readers::Umask).is_err_and(|error| error.kind == ErrorKind::Usage));
    assert!(names(folder.path()).is_empty());
}

#[test]
fn what_is_taken_is_no_output() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let output = Output::create(&at("a"), Readers::Owner).expect("begun");
    let refused = |path: &Path| free(path).is_err_and(|error| error.kind == ErrorKind::Usage);
    assert!(refused(&folder.path().join("./a")) && claim_database(&at("a")).is_err());
    drop(output);
    assert!(free(&at("a")).is_ok());
    claim(&at("b-wal"), "the baseline").expect("free");
    assert!(claim_database(&at("b")).is_err_and(|error| error.message.contains("b-wal is the baseline")));
    for _ in 0..2 {
        claim_database(&at("c")).expect("it is one database");
    }
    assert!(["c", "c-journal", "c-wal", "c-shm"].iter().all(|name| refused(&at(name))));
    assert!(claim(&at("c-journal"), "the configuration").is_err() && free(&at("c-other")).is_ok());
}

#[test]
fn a_new_file_takes_no_name_that_is_taken() {
    let folder = folder();
    let path = folder.path().join("a");
    assert!(write_new(&path, b"1", Readers::Owner).is_ok_and(|made| made));
    assert!(write_new(&path, b"2", Readers::Owner).is_ok_and(|made| !made));
    assert_eq!((names(folder.path()), std::fs::read(&path).expect("read")), (vec!["a".to_string()], b"1".to_vec()));
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).expect("there").permissions().mode() & 0o777
    }

    #[test]
    fn links_are_followed_also_where_they_lead_to_nothing_yet() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("sub")).expect("made");
        symlink("sub/b", at("a")).expect("linked");
        symlink(at("a"), at("c")).expect("linked");
        write(&at("c"), b"1", Readers::Umask).expect("written");
        assert_eq!(std::fs::read(at("sub/b")).expect("read"), b"1");
        assert!(at("a").is_symlink() && at("c").is_symlink());
        assert!(is_same(&at("c"), &at("sub/b")) && !is_same(&at("c"), &at("d")));
        assert!(is_same(&at("new"), &at("sub/../new")));
        symlink(at("y"), at("x")).expect("linked");
        symlink(at("x"), at("y")).expect("linked");
        assert!(write(&at("x"), b"1", Readers::Umask).is_err());
    }

    #[test]
    fn an_old_file_keeps_its_mode_and_a_new_one_is_for_its_owner() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        write(&at("secret"), b"1", Readers::Owner).expect("written");
        assert_eq!(mode(&at("secret")), 0o600);
        std::fs::set_permissions(at("secret"), std::fs::Permissions::from_mode(0o640)).expect("set");
        write(&at("secret"), b"2", Readers::Owner).expect("written");
        assert_eq!(mode(&at("secret")), 0o640);
        write(&at("open"), b"1", Readers::Umask).expect("written");
        std::fs::write(at("usual"), "1").expect("written");
        assert_eq!(mode(&at("open")), mode(&at("usual")));
    }

    #[test]
    fn a_device_is_written_to_and_stays_a_device() {
        let folder = folder();
        symlink("/dev/null", folder.path().join("null")).expect("linked");
        write(&folder.path().join("null"), b"x", Readers::Owner).expect("written");
        assert!(!Path::new("/dev/null").metadata().expect("there").is_file());
        assert_eq!(names(folder.path()), ["null"]);
        // A disk that is full: the error is told, and nothing takes the name.
        assert!(write(Path::new("/dev/full"), b"x", Readers::Owner).is_err());
    }
}
