"""The acceptance walks of branches and keys (contract 01), and of what stands around a repository (22: releases, wikis,
push rules, mirrors, changelogs), with python-gitlab, unchanged.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_rules_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails. Needs git and ssh-keygen. While it runs, mirrors may
reach the machine that the server is on.
"""

import re
import subprocess
import tempfile

from walking import add, anonymous, api, as_user, cloned, equal, eventually, git, has, key_of, mark, person
from walking import refused, step, token, url, walk

group = api.groups.create({"name": f"rules {mark}", "path": f"rules{mark}"})
project = api.projects.create({"name": "p", "namespace_id": group.id, "initialize_with_readme": True})
developer, maintainer = person("dev"), person("maint")
project.members.create({"user_id": developer.id, "access_level": 30})
project.members.create({"user_id": maintainer.id, "access_level": 40})
theirs = as_user(developer).projects.get(project.id)
kept = as_user(maintainer).projects.get(project.id)
LEVEL = ("id", "access_level", "access_level_description")


@step
def branches():
    made = theirs.branches.create({"branch": "feature/a", "ref": "main"})
    has(made, "name", "commit", "merged", "protected", "can_push", "default", "web_url")
    has(made, "developers_can_push", "developers_can_merge")
    equal((made.can_push, made.protected, made.default), (True, False, False))
    refused(400, lambda: theirs.branches.create({"branch": "feature/a", "ref": "main"}), "Branch already exists")
    refused(400, lambda: theirs.branches.create({"branch": "a..b", "ref": "main"}), "Branch name is invalid")
    refused(400, lambda: theirs.branches.delete("main"), "The default branch of a project cannot be deleted.")
    refused(404, lambda: theirs.branches.get("nope"), "404 Branch Not Found")
    listed = project.branches.list(iterator=True, pagination="keyset", per_page=1)
    equal([branch.name for branch in listed], ["feature/a", "main"])
    made.delete()
    refused(404, lambda: theirs.branches.get("feature/a"))


@step
def protected_branches():
    main = project.protectedbranches.get("main")
    has(main, "id", "push_access_levels", "merge_access_levels", "unprotect_access_levels", "allow_force_push")
    equal([level["access_level"] for level in main.push_access_levels], [40])
    has(main.push_access_levels[0], *LEVEL)
    assert "inherited" not in main.attributes
    rule = kept.protectedbranches.create({"name": "release/*", "push_access_level": 30})
    equal(rule.push_access_levels[0]["access_level_description"], "Developers + Maintainers")
    again = lambda: kept.protectedbranches.create({"name": "release/*"})
    refused(409, again, "Protected branch 'release/*' already exists")
    refused(403, lambda: theirs.protectedbranches.create({"name": "x"}))
    refused(400, lambda: kept.protectedbranches.create({"name": "y", "push_access_level": 35}))
    refused(401, lambda: anonymous.http_get(f"/projects/{project.id}/protected_branches"))
    rule = kept.protectedbranches.get("release/*")
    rule.allow_force_push = True
    rule.save()
    assert kept.protectedbranches.get("release/*").allow_force_push
    main = kept.protectedbranches.get("main")
    main.allowed_to_push = [{"user_id": developer.id}]
    main.save()
    equal([level["user_id"] for level in main.push_access_levels], [None, developer.id])
    add(theirs, "by-developer", "x")
    entry = main.push_access_levels[1]["id"]
    main = kept.protectedbranches.get("main")
    main.allowed_to_push = [{"id": entry, "_destroy": True}]
    main.save()
    refused(400, lambda: add(theirs, "again", "x"), "You are not allowed to push into this branch")
    outsider = person("out")
    sentence = ["Push access levels user is not a member of the project"]
    main.allowed_to_push = [{"user_id": outsider.id}]
    equal(refused(422, main.save).error_message, sentence)
    equal([one.name for one in kept.protectedbranches.list(search="ELEA", get_all=True)], ["release/*"])
    rule.delete()
    refused(404, lambda: kept.protectedbranches.get("release/*"))


@step
def protected_branches_of_a_group():
    rule = group.protectedbranches.create({"name": "hotfix/*", "push_access_level": 40, "merge_access_level": 30})
    rule.allow_force_push = True
    rule.save()
    assert group.protectedbranches.get("hotfix/*").allow_force_push
    assert project.protectedbranches.get("hotfix/*").inherited is True
    sentence = "403 Forbidden - Protected branch is inherited from the group"
    refused(403, lambda: kept.protectedbranches.delete("hotfix/*"), sentence)
    equal([one.name for one in group.protectedbranches.list(get_all=True)], ["hotfix/*"])
    rule.delete()
    equal([one.name for one in project.protectedbranches.list(get_all=True)], ["main"])


@step
def deploy_keys():
    with tempfile.TemporaryDirectory() as folder:
        path, public = key_of(folder, f"k{mark}")
        shown = lambda *more: subprocess.run(
            ["ssh-keygen", "-lf", f"{path}.pub", *more], check=True, capture_output=True, text=True
        ).stdout.split()[1]
        made = kept.keys.create({"title": "k", "key": public, "can_push": True})
        has(made, "id", "title", "created_at", "expires_at", "last_used_at", "usage_type", "key", "can_push")
        equal(made.fingerprint_sha256, shown())
        equal(f"MD5:{made.fingerprint}", shown("-E", "md5"))
        equal(kept.keys.create({"title": "again", "key": public}).id, made.id)
        equal(api.keys.get(made.id).title, "k")
        equal(api.keys.get(fingerprint=made.fingerprint_sha256).id, made.id)
        has(api.keys.get(made.id), "user", "deploy_keys_projects")
        error = refused(400, lambda: kept.keys.create({"title": "bad", "key": "garbage"})).error_message
        equal(sorted(error), ["deploy_key.fingerprint_sha256", "deploy_key.key"])
        other = api.projects.create({"name": "other", "namespace_id": group.id})
        equal(other.keys.enable(made.id)["can_push"], False)
        key = kept.keys.get(made.id)
        key.can_push = False
        key.save()
        equal((key.can_push, kept.keys.get(made.id).can_push), (False, False))
        refused(403, lambda: theirs.keys.list(get_all=True))
        key.delete()
        equal(kept.keys.list(get_all=True), [])
        equal([one.id for one in other.keys.list(get_all=True)], [made.id])
        other.keys.delete(made.id)
        assert made.id not in [one.id for one in api.deploykeys.list(get_all=True)]
        public = api.deploykeys.create({"title": "public", "key": public})
        equal((public.usage_type, public.projects_with_write_access), ("auth_and_signing", []))
        kept.keys.enable(public.id)
        listed = {one.id: one for one in api.deploykeys.list(public=True, iterator=True)}
        equal([one["id"] for one in listed[public.id].projects_with_readonly_access], [project.id])


@step
def push_rules():
    rule = project.pushrules.create({"commit_message_regex": "^(Add|Merge)", "max_file_size": 1})
    has(rule, "id", "project_id", "created_at", "commit_message_negative_regex", "branch_name_regex", "prevent_secrets")
    has(rule, "author_email_regex", "file_name_regex", "member_check", "deny_delete_tag")
    has(rule, "commit_committer_check", "reject_unsigned_commits", "reject_non_dco_commits")
    error = refused(422, lambda: project.pushrules.create({"member_check": True}))
    equal(error.error_message, "Project push rule exists")
    data = {"file_path": "w", "branch": "main", "content": "w", "commit_message": "wrong"}
    refused(400, lambda: project.files.create(data), "Commit message does not follow the pattern '^(Add|Merge)'")
    rule = project.pushrules.get()
    rule.commit_message_regex = ""
    rule.save()
    assert not project.pushrules.get().commit_message_regex
    rule.commit_message_regex = "("
    equal(refused(400, rule.save).error_message, {"commit_message_regex": ["is not a valid regexp"]})
    project.pushrules.delete()
    assert api.http_get(f"/projects/{project.id}/push_rule") is None
    refused(404, lambda: group.pushrules.get())
    made = group.pushrules.create({"prevent_secrets": True})
    made.member_check = True
    made.save()
    assert group.pushrules.get().member_check
    below = api.projects.create({"name": "below", "namespace_id": group.id})
    assert below.pushrules.get().prevent_secrets
    group.pushrules.delete()


@step
def releases():
    made = project.releases.create({"tag_name": "r1", "ref": "main", "name": "One", "description": "**first**"})
    has(made, "created_at", "released_at", "upcoming_release", "author", "commit", "commit_path", "tag_path")
    has(made, "milestones", "evidences")
    has(made.attributes["_links"], "self", "edit_url", "closed_issues_url", "opened_merge_requests_url")
    equal([source["format"] for source in made.assets["sources"]], ["zip", "tar.gz", "tar.bz2", "tar"])
    equal(project.tags.get("r1").release, {"tag_name": "r1", "description": "**first**"})
    refused(409, lambda: project.releases.create({"tag_name": "r1", "ref": "main"}), "Release already exists")
    refused(422, lambda: project.releases.create({"tag_name": "r2"}), "Ref is not specified")
    link = made.links.create({"name": "binary", "url": "https://example.com/b", "direct_asset_path": "/bin/b"})
    has(link, "id", "name", "url", "direct_asset_url", "link_type")
    assert link.direct_asset_url.endswith("/-/releases/r1/downloads/bin/b")
    refused(400, lambda: made.links.create({"name": "binary", "url": "https://example.com/c"}))
    link.link_type = "package"
    link.save()
    equal(made.links.get(link.id).link_type, "package")
    equal([one["name"] for one in project.releases.get("r1").assets["links"]], ["binary"])
    equal([one.id for one in made.links.list(get_all=True)], [link.id])
    link.delete()
    refused(404, lambda: made.links.get(link.id))
    release = project.releases.get("r1")
    release.description = "second"
    release.save()
    equal(project.releases.get("r1").description, "second")
    html = project.releases.list(include_html_description=True, get_all=True)[0]
    assert "second" in html.description_html
    equal(api.http_get(f"/projects/{project.id}/releases/permalink/latest")["tag_name"], "r1")
    equal([one["tag_name"] for one in api.http_list(f"/groups/{group.id}/releases", get_all=True)], ["r1"])
    project.releases.delete("r1")
    refused(404, lambda: project.releases.get("r1"))
    equal(project.tags.get("r1").release, None)


@step
def wikis():
    for place in (project, group):
        page = place.wikis.create({"title": "a dir/b page", "content": "# text\n"})
        has(page, "format", "slug", "title", "wiki_page_meta_id", "content", "encoding", "front_matter")
        equal((page.slug, page.title, page.format), ("a-dir/b-page", "b page", "markdown"))
        refused(400, lambda: place.wikis.create({"title": "a dir/b page", "content": "x"}))
        page = place.wikis.get("a-dir/b-page")
        page.content = "changed\n"
        page.save()
        equal(place.wikis.get("a-dir/b-page").content, "changed\n")
        assert "<p" in place.wikis.get("a-dir/b-page", render_html=True).content
        assert "content" not in place.wikis.list(get_all=True)[0].attributes
        equal([one.content for one in place.wikis.list(with_content=True, get_all=True)], ["changed\n"])
        file = page.upload("an image.png", filedata=b"\x89PNG")
        has(file, "file_name", "branch", "link")
        assert re.fullmatch(r"uploads/[0-9a-f]{32}/an[_ -]image\.png", file["file_path"]), file
        has(file["link"], "url", "markdown")
        page.title = "moved"
        page.save()
        equal((page.slug, page.title), ("a-dir/moved", "moved"))
        place.wikis.get("a-dir/moved").delete()
        refused(404, lambda: place.wikis.get("a-dir/moved"), "404 Wiki Page Not Found")


@step
def mirrors():
    settings = api.settings.get()
    before = settings.allow_local_requests_from_web_hooks_and_services
    settings.allow_local_requests_from_web_hooks_and_services = True
    settings.save()
    try:
        push_mirror()
        pull_mirror()
    finally:
        settings.allow_local_requests_from_web_hooks_and_services = before
        settings.save()


def push_mirror():
    target = api.projects.create({"name": "target", "namespace_id": group.id})
    inside = url.replace("://", f"://root:{token}@")
    mirror = project.remote_mirrors.create({"url": f"{inside}/{target.path_with_namespace}.git", "enabled": True})
    has(mirror, "id", "update_status", "last_update_at", "last_update_started_at", "last_error")
    has(mirror, "last_successful_update_at")
    has(mirror, "only_protected_branches", "keep_divergent_refs", "auth_method", "mirror_branch_regex", "host_keys")
    assert token not in mirror.url and "*****:*****@" in mirror.url, mirror.url
    refused(400, lambda: project.remote_mirrors.create({"url": "file:///etc"}))
    mirror.sync()
    listed = lambda: project.remote_mirrors.list(get_all=True)[0]
    eventually(lambda: listed().update_status in ("finished", "failed"), "the end of the push")
    equal((listed().update_status, listed().last_error), ("finished", None))
    equal(target.branches.get("main").commit["id"], project.branches.get("main").commit["id"])
    mirror.only_protected_branches = True
    mirror.enabled = False
    mirror.save()
    equal((mirror.enabled, listed().only_protected_branches), (False, True))
    refused(400, mirror.sync)
    mirror.delete()
    equal(project.remote_mirrors.list(get_all=True), [])


def pull_mirror():
    pulled = api.projects.create({"name": "pulled", "namespace_id": group.id})
    refused(400, lambda: pulled.pull_mirror.get(), "The project is not mirrored")
    source = {"url": f"{url}/{project.path_with_namespace}.git", "auth_user": "root", "auth_password": token}
    made = pulled.pull_mirror.create({**source, "enabled": True})
    assert token not in str(made.attributes)
    has(made, "id", "update_status", "mirror_trigger_builds", "only_mirror_protected_branches", "mirror_branch_regex")
    pulled.pull_mirror.start()
    eventually(lambda: pulled.pull_mirror.get().update_status in ("finished", "failed"), "the end of the pull")
    equal((pulled.pull_mirror.get().update_status, pulled.pull_mirror.get().last_error), ("finished", None))
    equal(pulled.branches.get("main").commit["id"], project.branches.get("main").commit["id"])


@step
def changelog():
    path = f"/projects/{project.id}/repository/changelog"
    project.tags.create({"tag_name": "v1.0.0", "ref": "main"})
    data = {"branch": "main", "commit_message": "Bring it\n\nChangelog: added"}
    project.commits.create({**data, "actions": [{"action": "create", "file_path": "new", "content": "new"}]})
    notes = api.http_get(path, query_data={"version": "1.1.0", "from": "v1.0.0"})["notes"]
    assert notes.startswith("## 1.1.0 (") and "- [Bring it](" in notes, notes
    api.http_post(path, post_data={"version": "1.1.0", "branch": "main"})
    assert "Bring it" in project.files.raw("CHANGELOG.md", ref="main").decode()
    refused(400, lambda: api.http_get(path, query_data={"version": "not one"}))


@step
def merged_branches():
    folder, work = cloned(project)
    with folder:
        git(work, "checkout", "--quiet", "-b", "merged")
        git(work, "commit", "--quiet", "--allow-empty", "-m", "on a branch")
        git(work, "push", "--quiet", "origin", "merged", "merged:main")
        git(work, "checkout", "--quiet", "main")
        git(work, "pull", "--quiet")
        git(work, "commit", "--quiet", "--allow-empty", "-m", "on main")
        git(work, "push", "--quiet", "origin", "main")
    assert project.branches.get("merged").merged
    project.delete_merged_branches()
    names = lambda: [branch.name for branch in project.branches.list(get_all=True)]
    eventually(lambda: names() == ["main"], "the end of the merged branch")


walk()
