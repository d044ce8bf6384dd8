"""The acceptance walk of the repository (contract 22) with python-gitlab, unchanged: files, commits, trees, tags.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_repository_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails. Needs git and ssh-keygen.
"""

import base64
import hashlib
import io
import re
import tarfile
import zipfile

from walking import add, api, as_user, cloned, equal, git, has, key_of, mark, person, refused, step, walk

group = api.groups.create({"name": f"walk {mark}", "path": f"walk{mark}"})
project = api.projects.create({"name": "p", "namespace_id": group.id})
developer = person("dev")
project.members.create({"user_id": developer.id, "access_level": 30})
theirs = as_user(developer).projects.get(project.id)
COMMIT = ("id", "short_id", "created_at", "parent_ids", "title", "message", "author_name", "author_email")
COMMIT += ("authored_date", "committer_name", "committer_email", "committed_date", "trailers", "extended_trailers")
COMMIT += ("web_url",)


@step
def an_empty_repository():
    equal(project.commits.list(get_all=True), [])
    equal(project.branches.list(get_all=True), [])
    equal(project.tags.list(get_all=True), [])
    equal(project.wikis.list(get_all=True), [])
    equal(project.releases.list(get_all=True), [])
    refused(404, lambda: project.repository_tree(get_all=True), "404 Tree Not Found")
    refused(404, lambda: project.repository_archive(), "404 File Not Found")
    refused(404, lambda: project.repository_contributors(get_all=True))


@step
def files():
    made = add(project, "README.md", "hello\n")
    equal((made.file_path, made.branch), ("README.md", "main"))
    equal(api.projects.get(project.id).default_branch, "main")
    equal([rule.name for rule in project.protectedbranches.list(get_all=True)], ["main"])
    refused(400, lambda: add(project, "README.md", "x"), "A file with this name already exists")
    file = project.files.get("README.md", ref="main")
    has(file, "file_name", "size", "encoding", "content_sha256", "ref", "blob_id", "commit_id", "execute_filemode")
    equal((file.decode(), file.size, file.encoding, file.ref), (b"hello\n", 6, "base64", "main"))
    equal(file.content_sha256, hashlib.sha256(b"hello\n").hexdigest())
    before = file.last_commit_id
    file.content = "changed\n"
    file.save(branch="main", commit_message="Change it")
    stale = {"branch": "main", "content": "x", "commit_message": "x", "last_commit_id": before}
    changed = "You are attempting to update a file that has changed since you started editing it."
    refused(400, lambda: project.files.update("README.md", stale), changed)
    headers = project.files.head("README.md", ref="main")
    for name in ("Blob-Id", "Commit-Id", "Content-Sha256", "Encoding", "Execute-Filemode", "File-Name", "File-Path"):
        assert f"X-Gitlab-{name}" in headers, name
    equal((headers["X-Gitlab-Size"], headers["X-Gitlab-Ref"]), ("8", "main"))
    equal(project.files.raw("README.md"), b"changed\n")
    equal(project.files.raw("README.md", ref="main"), b"changed\n")
    equal(b"".join(project.files.raw("README.md", ref="HEAD", iterator=True)), b"changed\n")
    error = refused(400, lambda: api.http_get(f"/projects/{project.id}/repository/files/README.md"))
    equal(error.error_message, "ref is missing, ref is empty")
    deep = "dir with space/ü#?%/x.txt"
    add(project, deep, base64.b64encode(b"\x00\xff").decode(), encoding="base64")
    equal(project.files.get(deep, ref="main").decode(), b"\x00\xff")
    found = project.files.get(deep, ref="main")
    found.content = "one\ntwo\n"
    found.save(branch="main", commit_message="Text")
    equal(project.files.raw(deep, ref="main"), b"one\ntwo\n")
    blamed = project.files.blame(deep, ref="main")
    equal([(len(part["lines"]), part["commit"]["message"]) for part in blamed], [(2, "Text")])
    project.files.delete(deep, branch="main", commit_message="Gone")
    refused(404, lambda: project.files.get(deep, ref="main"), "404 File Not Found")
    refused(404, lambda: project.files.get("README.md", ref="nope"), "404 Commit Not Found")
    refused(400, lambda: add(theirs, "x", "x"), "You are not allowed to push into this branch")


@step
def commits():
    def commit(actions, manager=project.commits, **more):
        return manager.create({"branch": "main", "commit_message": "many", "actions": actions, **more})

    create = [{"action": "create", "file_path": name, "content": f"{name}\n"} for name in "abc"]
    made = commit(create)
    has(made, *COMMIT, "stats", "status", "project_id", "last_pipeline")
    equal(made.stats, {"additions": 3, "deletions": 0, "total": 3})
    actions = [{"action": "create", "file_path": "d", "content": "d\n"}, {"action": "delete", "file_path": "c"}]
    actions += [{"action": "move", "file_path": "a2", "previous_path": "a"}]
    actions += [{"action": "chmod", "file_path": "b", "execute_filemode": True}]
    changed = commit(actions)
    diffs = project.commits.get(changed.id).diff(get_all=True)
    shown = {diff["new_path"]: diff for diff in diffs}
    equal(sorted(shown), ["a2", "b", "c", "d"])
    assert shown["a2"]["renamed_file"] and shown["c"]["deleted_file"] and shown["d"]["new_file"]
    equal((shown["b"]["a_mode"], shown["b"]["b_mode"]), ("100644", "100755"))
    assert shown["d"]["diff"].startswith("@@ -0,0 +1 @@\n+d")
    assert project.files.get("b", ref="main").execute_filemode is True
    wrong = [{"action": "create", "file_path": "e", "content": "e"}, {"action": "create", "file_path": "d"}]
    refused(400, lambda: commit(wrong), "A file with this name already exists")
    equal(project.branches.get("main").commit["id"], changed.id)
    refused(403, lambda: commit(create, theirs.commits))
    picked = commit([{"action": "create", "file_path": "n", "content": "n\n"}], branch="new", start_branch="main")
    titles = lambda **more: [one.id for one in project.commits.list(get_all=True, per_page=2, **more)]
    assert picked.id not in titles() and picked.id in titles(all=True)
    equal(titles(ref_name="new"), [picked.id, *titles()])
    equal(titles(query_parameters={"path": "d"}), [changed.id])
    equal([one.stats["total"] for one in project.commits.list(get_all=False, with_stats=True, per_page=1)], [2])
    equal(titles(since="2999-01-01T00:00:00Z"), [])
    equal(titles(ref_name="nope"), [])
    project.branches.create({"branch": "test", "ref": "main"})
    done = picked.cherry_pick("test")
    has(done, *COMMIT)
    equal(done["message"], f"many\n\n(cherry picked from commit {picked.id})")
    assert "cherry-pick" in str(refused(400, lambda: picked.cherry_pick("test")).error_message)
    done = project.commits.get(changed.id).revert("main")
    equal(done["message"], f'Revert "many"\n\nThis reverts commit {changed.id}')
    refused(400, lambda: project.commits.get(changed.id).revert("main"))
    refused(404, lambda: project.commits.get("nope"), "404 Commit Not Found")
    equal(project.commits.get("main").id, done["id"])
    equal(project.commits.get(done["short_id"]).id, done["id"])
    names = {(ref["type"], ref["name"]) for ref in project.commits.get(changed.id).refs(get_all=True)}
    equal(names, {("branch", "main"), ("branch", "new"), ("branch", "test")})
    equal(project.commits.get(changed.id).refs(type="tag", get_all=True), [])
    equal(project.commits.get("main").sequence()["count"], len(titles()))
    equal(project.commits.get("main").merge_requests(get_all=True), [])


@step
def talk_about_commits():
    commit = project.commits.get(project.branches.get("main").commit["id"])
    comment = commit.comments.create({"note": "first", "path": "c", "line": 1, "line_type": "new"})
    equal((comment.note, comment.path, comment.line, comment.line_type), ("first", "c", 1, "new"))
    commit.comments.create({"note": "second"})
    equal([one.note for one in commit.comments.list(get_all=True)], ["first", "second"])
    discussion = commit.discussions.create({"body": "third"})
    assert re.fullmatch("[0-9a-f]{40}", discussion.id)
    note = discussion.notes.create({"body": "a reply"})
    note.body = "another reply"
    note.save()
    shown = commit.discussions.get(discussion.id)
    equal([one["body"] for one in shown.attributes["notes"]], ["third", "another reply"])
    equal(shown.notes.get(note.id).body, "another reply")
    has(shown.attributes["notes"][0], "type", "author", "system", "noteable_type", "resolvable", "commands_changes")
    assert len(commit.discussions.list(get_all=True)) == 3
    refused(403, lambda: theirs.commits.get(commit.id).discussions.get(discussion.id).notes.delete(note.id))
    note.delete()
    refused(404, lambda: shown.notes.get(note.id))
    status = commit.statuses.create({"state": "success", "name": "check", "target_url": "https://example.com/1"})
    has(status, "id", "sha", "ref", "created_at", "started_at", "finished_at", "allow_failure", "coverage", "author")
    equal((status.status, status.name, status.author["username"]), ("success", "check", "root"))
    error = refused(400, lambda: commit.statuses.create({"state": "success", "name": "check"}))
    assert "Cannot transition status via :success from :success" in str(error.error_message), error
    equal([one.name for one in commit.statuses.list(get_all=True)], ["check"])
    equal(project.commits.get(commit.id).last_pipeline["status"], "success")


@step
def signatures():
    refused(404, lambda: project.commits.get("main").signature(), "404 Signature Not Found")
    folder, work = cloned(project)
    with folder:
        path, public = key_of(folder.name, "signing")
        api.auth()
        api.user.keys.create({"title": f"signing {mark}", "key": public})
        git(work, "config", "gpg.format", "ssh")
        git(work, "config", "user.signingkey", path)
        git(work, "commit", "--quiet", "--allow-empty", "-S", "-m", "signed")
        git(work, "push", "--quiet", "origin", "HEAD:refs/heads/signed")
    signature = project.commits.get("signed").signature()
    has(signature, "signature_type", "verification_status", "key", "commit_source")
    equal((signature["signature_type"], signature["commit_source"]), ("SSH", "gitaly"))


@step
def trees_and_blobs():
    actions = [{"action": "create", "file_path": f"tree/{index:02}.txt", "content": str(index)} for index in range(25)]
    project.commits.create({"branch": "main", "commit_message": "trees", "actions": actions})
    listed = project.repository_tree(path="tree", get_all=True)
    has(listed[0], "id", "name", "type", "path", "mode")
    equal([entry["path"] for entry in listed], [f"tree/{index:02}.txt" for index in range(25)])
    by_keyset = project.repository_tree(path="tree", iterator=True, pagination="keyset", per_page=10)
    equal([entry["path"] for entry in by_keyset], [entry["path"] for entry in listed])
    equal(len(project.repository_tree(iterator=True, per_page=10, path="tree")), 25)
    everything = project.repository_tree(recursive=True, get_all=True)
    assert {"tree", "blob"} == {entry["type"] for entry in everything}
    equal(project.repository_tree(get_all=True)[0]["name"], "tree")
    refused(404, lambda: project.repository_tree(path="nope", get_all=True))
    blob = project.repository_blob(listed[3]["id"])
    equal((base64.b64decode(blob["content"]), blob["size"], blob["sha"]), (b"3", 1, listed[3]["id"]))
    equal(project.repository_raw_blob(listed[3]["id"]), b"3")
    refused(404, lambda: project.repository_blob("0" * 40), "404 Blob Not Found")


@step
def whole_repositories():
    compared = project.repository_compare("main", "new")
    has(compared, "commit", "commits", "diffs", "compare_timeout", "compare_same_ref", "web_url")
    equal([diff["new_path"] for diff in compared["diffs"]], ["n"])
    base = project.repository_merge_base(["main", "new"])
    equal(compared["commits"][0]["parent_ids"], [base["id"]])
    refused(400, lambda: project.repository_merge_base(["main"]), "Provide at least 2 refs")
    refused(400, lambda: project.repository_merge_base(["main", "nope"]), "Could not find ref: nope")
    refused(404, lambda: project.repository_compare("main", "nope"), "404 Ref Not Found")
    people = project.repository_contributors(get_all=True)
    has(people[0], "name", "email", "commits", "additions", "deletions")
    archive = project.repository_archive()
    equal(archive, project.repository_archive(sha="main"))
    for form in ("tar.gz", "tgz", "gz", "tar.bz2", "tbz", "tbz2", "tb2", "bz2", "tar"):
        names = tarfile.open(fileobj=io.BytesIO(project.repository_archive(format=form))).getnames()
        assert any(name.endswith("/README.md") for name in names), form
    names = zipfile.ZipFile(io.BytesIO(project.repository_archive(format="zip", path="tree"))).namelist()
    assert any(name.endswith("tree/00.txt") for name in names)
    assert not any(name.endswith("README.md") for name in names)
    pieces = b"".join(project.repository_archive(iterator=True, sha="main"))
    equal(pieces, archive)
    snapshot = tarfile.open(fileobj=io.BytesIO(project.snapshot())).getnames()
    assert any(name.endswith("HEAD") for name in snapshot), snapshot
    refused(403, lambda: theirs.snapshot())


@step
def submodules():
    refused(400, lambda: project.update_submodule("README.md", "main", "1" * 40))
    folder, work = cloned(project)
    with folder:
        git(work, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib/sub")
        git(work, "commit", "--quiet", "-m", "submodule")
        git(work, "push", "--quiet", "origin", "HEAD:refs/heads/modules")
    moved = project.update_submodule("lib/sub", "modules", "2" * 40, commit_message="Move it")
    equal(moved["message"], "Move it")
    entry = project.repository_tree(path="lib", ref="modules", get_all=True)[0]
    equal((entry["type"], entry["id"], entry["mode"]), ("commit", "2" * 40, "160000"))


@step
def tags():
    made = project.tags.create({"tag_name": "v1.0", "ref": "main", "message": "the first"})
    has(made, "name", "message", "target", "commit", "release", "protected", "created_at")
    equal((made.message, made.protected, made.release), ("the first", False, None))
    assert made.target != made.commit["id"]
    refused(400, lambda: project.tags.create({"tag_name": "v1.0", "ref": "main"}), "Tag v1.0 already exists")
    refused(400, lambda: project.tags.create({"tag_name": "x", "ref": "nope"}), "Target nope is invalid")
    light = project.tags.create({"tag_name": "group/light", "ref": "main"})
    equal((light.message, light.target), ("", light.commit["id"]))
    equal(project.tags.get("group/light").name, "group/light")
    equal([tag.name for tag in project.tags.list(search="^v", get_all=True)], ["v1.0"])
    equal([tag.name for tag in project.tags.list(order_by="name", sort="asc", get_all=True)], ["group/light", "v1.0"])
    light.delete()
    refused(404, lambda: project.tags.get("group/light"), "404 Tag Not Found")
    rule = project.protectedtags.create({"name": "v*", "create_access_level": 40})
    equal([level["access_level"] for level in rule.create_access_levels], [40])
    has(rule.create_access_levels[0], "id", "access_level_description")
    equal([one.name for one in project.protectedtags.list(get_all=True)], ["v*"])
    equal(project.protectedtags.get("v*").name, "v*")
    assert project.tags.get("v1.0").protected
    sentence = "You are not allowed to create this tag as it is protected."
    refused(400, lambda: theirs.tags.create({"tag_name": "v2", "ref": "main"}), sentence)
    refused(403, lambda: theirs.tags.delete("v1.0"), "You don't have access to delete the tag")
    rule.delete()
    refused(404, lambda: project.protectedtags.get("v*"))


walk()
