"""The acceptance walks of the contract with python-gitlab, unchanged, against a running server.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails.
"""

import subprocess
import sys
import tempfile
import uuid

import gitlab

url, token = sys.argv[1], sys.argv[2]
api = gitlab.Gitlab(url, private_token=token)
mark = uuid.uuid4().hex[:8]
failed = 0


def step(name, work):
    global failed
    try:
        work()
        print(f"ok    {name}")
    except Exception as error:  # every step is reported, also after a failure
        failed += 1
        print(f"FAIL  {name}: {type(error).__name__}: {error}")


def refused(status, work):
    try:
        work()
    except gitlab.exceptions.GitlabError as error:
        assert error.response_code == status, f"{error.response_code} instead of {status}: {error}"
        return error
    raise AssertionError(f"was not refused with {status}")


def accounts():
    api.auth()
    assert api.user.id == 1 and api.user.username == "root"
    assert len(api.version()[0].split(".")) == 3
    data = {"email": f"a{mark}@example.com", "username": f"alice{mark}", "name": "Alice", "password": "correct horse 42"}
    user = api.users.create({**data, "skip_confirmation": True})
    refused(409, lambda: api.users.create(data))
    assert [one.id for one in api.users.list(username=f"ALICE{mark}")] == [user.id]
    refused(403, lambda: gitlab.Gitlab(url).http_get("/users"))
    user.block()
    assert api.users.get(user.id).state == "blocked"
    user.unblock()
    user.ban()
    assert api.users.get(user.id).state == "banned"
    user.unban()
    made = user.personal_access_tokens.create({"name": "walk", "scopes": ["read_api"]})
    reader = gitlab.Gitlab(url, private_token=made.token)
    assert reader.projects.list(get_all=False, membership=True) == []
    refused(403, lambda: reader.projects.create({"name": "no"}))
    personal = api.personal_access_tokens.get(made.id)
    personal.rotate()
    refused(401, lambda: reader.projects.list(get_all=False))
    login = gitlab.Gitlab(url, oauth_token=oauth(f"alice{mark}", "correct horse 42"))
    login.auth()
    assert login.user.username == f"alice{mark}"
    user.delete(hard_delete=True)
    refused(404, lambda: api.users.get(user.id))


def oauth(username, password):
    answer = api.session.post(
        f"{url}/oauth/token", data={"grant_type": "password", "username": username, "password": password}
    )
    assert answer.status_code == 200, answer.text
    return answer.json()["access_token"]


def groups_and_projects():
    group = api.groups.create({"name": f"G {mark}", "path": f"g{mark}"})
    assert [member.access_level for member in group.members.list(get_all=True)] == [50]
    refused(400, lambda: api.groups.create({"name": f"G {mark}", "path": f"g{mark}"}))
    sub = api.groups.create({"name": "S", "path": "s", "parent_id": group.id})
    assert sub.full_path == f"g{mark}/s"
    assert [one.id for one in group.subgroups.list(get_all=True)] == [sub.id]
    refused(400, lambda: api.groups.create({"name": "P", "path": "p", "parent_id": group.id, "visibility": "public"}))
    project = api.projects.create({"name": "Demo App", "namespace_id": group.id, "initialize_with_readme": True})
    assert (project.path, project.default_branch, project.empty_repo) == ("demo-app", "main", False)
    assert api.projects.get(f"g{mark}/demo-app").id == project.id
    refused(404, lambda: gitlab.Gitlab(url).projects.get(f"g{mark}/demo-app"))
    refused(401, lambda: gitlab.Gitlab(url, private_token="nope").projects.get(project.id))
    user = api.users.create(
        {"email": f"b{mark}@example.com", "username": f"bob{mark}", "name": "Bob", "password": "correct horse 42"}
    )
    project.members.create({"user_id": user.id, "access_level": 30})
    refused(409, lambda: project.members.create({"user_id": user.id, "access_level": 30}))
    refused(400, lambda: project.members.create({"user_id": 1, "access_level": 33}))
    assert {member.username for member in project.members_all.list(get_all=True)} >= {"root", f"bob{mark}"}
    project.members.delete(user.id)
    refused(404, lambda: project.members.get(user.id))
    project.path = f"demo2-{mark}"
    project.save()
    assert api.projects.get(f"g{mark}/demo-app").id == project.id
    project.archive()
    assert api.projects.get(project.id).archived
    project.unarchive()
    other = api.groups.create({"name": f"O {mark}", "path": f"o{mark}"})
    project.share(other.id, gitlab.const.DEVELOPER_ACCESS)
    refused(409, lambda: project.share(other.id, gitlab.const.DEVELOPER_ACCESS))
    project.unshare(other.id)
    bot = project.access_tokens.create({"name": "bot", "scopes": ["api"], "access_level": 30})
    assert gitlab.Gitlab(url, private_token=bot.token).http_get("/user")["bot"] is True
    bot.delete()
    deploy = project.deploytokens.create({"name": "d", "scopes": ["read_repository"]})
    assert deploy.token
    listed = api.projects.list(iterator=True, pagination="keyset", order_by="id", per_page=2)
    assert project.id in [one.id for one in listed]
    project.delete()
    assert api.projects.get(project.id).marked_for_deletion_on


def forks():
    source = api.projects.create({"name": f"source {mark}", "initialize_with_readme": True})
    group = api.groups.create({"name": f"F {mark}", "path": f"f{mark}"})
    fork = source.forks.create({"namespace_path": group.full_path})
    for _ in range(200):
        if api.projects.get(fork.id).import_status == "finished":
            break
    assert api.projects.get(fork.id).forked_from_project["id"] == source.id
    assert [branch.name for branch in api.projects.get(fork.id).branches.list(get_all=True)] == ["main"]


def git(folder, *parameters):
    subprocess.run(["git", "-C", folder, *parameters], check=True, capture_output=True)


def branches():
    project = api.projects.create({"name": f"walk-{mark}"})
    with tempfile.TemporaryDirectory() as folder:
        git(folder, "init", "--quiet", "--initial-branch=main")
        git(folder, "-c", "user.name=W", "-c", "user.email=w@example.com", "commit", "--allow-empty", "-m", "one")
        address = url.replace("://", f"://root:{token}@") + f"/root/walk-{mark}.git"
        git(folder, "push", address, "main")
        git(folder, "clone", address, "copy")
    made = project.branches.create({"branch": "feature/a", "ref": "main"})
    assert made.can_push and not made.protected
    error = refused(400, lambda: project.branches.create({"branch": "feature/a", "ref": "main"}))
    assert error.error_message == "Branch already exists"
    assert refused(400, lambda: project.branches.create({"branch": "x", "ref": "nope"})).error_message == (
        "Invalid reference name: nope"
    )
    assert project.branches.get("feature/a").name == "feature/a"
    assert [one.name for one in project.branches.list(get_all=True, search="^FEAT")] == ["feature/a"]
    assert len(project.branches.list(get_all=True, regex="^(main|feature/.*)$")) == 2
    refused(400, lambda: project.branches.list(get_all=True, regex="("))
    refused(400, lambda: project.branches.delete("main"))
    project.branches.delete("feature/a")
    refused(404, lambda: project.branches.get("feature/a"))
    for index in range(25):
        project.branches.create({"branch": f"many-{index}", "ref": "main"})
    assert len(project.branches.list(iterator=True, per_page=10)) == 26
    project.delete_merged_branches()


def settings():
    current = api.settings.get()
    assert current.default_project_visibility == "private"
    current.signup_enabled = False
    current.save()
    assert api.settings.get().signup_enabled is False


for name, work in list(globals().items()):
    if callable(work) and name in ("accounts", "groups_and_projects", "forks", "branches", "settings"):
        step(name.replace("_", " "), work)
sys.exit(1 if failed else 0)
