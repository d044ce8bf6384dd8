"""The acceptance walk of groups and projects (contract 21, webhooks apart), and of tokens and settings (contract 20), with
python-gitlab, unchanged.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_groups_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails. Needs git.
"""

import datetime
import io
import struct
import zlib

import gitlab

from walking import add, anonymous, api, as_user, cloned, equal, eventually, git, has, mark, person, refused, step, url, walk

alice, bob = person("alice"), person("bob")
own = as_user(alice)
own.auth()
theirs = as_user(bob)
group = api.groups.create({"name": f"G {mark}", "path": f"g{mark}"})
project = api.projects.create({"name": "Demo App", "namespace_id": group.id, "initialize_with_readme": True})
today = datetime.date.today()


def picture(name="p.png"):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    file = io.BytesIO(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\0\0\0")) + chunk(b"IEND", b""))
    file.name = name
    return file


def ids(found):
    return [one.id for one in found]


@step
def groups_and_their_names():
    equal([(one.username, one.access_level) for one in group.members.list()], [("root", 50)])
    taken = 'Failed to save group {:path=>["has already been taken"]}'
    refused(400, lambda: api.groups.create({"name": f"G {mark}", "path": f"g{mark}"}), taken)
    below = api.groups.create({"name": "S", "path": "s", "parent_id": group.id})
    equal(below.full_path, f"g{mark}/s")
    text = "public is not allowed since the parent group has a private visibility."
    refused(
        400,
        lambda: api.groups.create({"name": "P", "path": "p", "parent_id": group.id, "visibility": "public"}),
        f'Failed to save group {{:visibility_level=>["{text}"]}}',
    )
    equal(ids(group.subgroups.list()), [below.id])
    equal(ids(group.descendant_groups.list()), [below.id])
    equal(ids(api.groups.list(search=f"g{mark}", top_level_only=True)), [group.id])
    assert below.id not in ids(api.groups.list(skip_groups=[below.id], get_all=True))
    refused(400, lambda: api.groups.list(order_by="x"), "order_by does not have a valid value")


@step
def projects_and_their_names():
    equal((project.path, project.default_branch, project.empty_repo), ("demo-app", "main", False))
    again = {"name": "Demo App", "namespace_id": group.id}
    taken = ["has already been taken"]
    refused(400, lambda: api.projects.create(again), {"project_namespace.name": taken, "name": taken, "path": taken})
    refused(400, lambda: api.projects.create({}), "name, path are missing, at least one parameter must be provided")
    refused(400, lambda: own.projects.create(again), {"namespace": ["is not valid"]})
    made = api.users.get(alice.id).projects.create({"name": f"for alice {mark}"})
    equal(made.owner["id"], alice.id)
    equal(ids(alice.projects.list()), [made.id])


@step
def visibility():
    name = f"g{mark}/demo-app"
    has(api.projects.get(name), "permissions")
    refused(404, lambda: anonymous.projects.get(name), "404 Project Not Found")
    project.visibility = "public"
    refused(400, project.save, {"visibility_level": ["public is not allowed in a private group."]})
    group.visibility = "public"
    group.save()
    project.visibility = "public"
    project.save()
    assert "permissions" not in anonymous.projects.get(name).attributes
    assert project.id in ids(anonymous.projects.list(search="demo-app", get_all=True))
    group.visibility = "private"
    text = "private is not allowed since this group contains projects with higher visibility."
    refused(400, group.save, {"visibility_level": [text]})
    group.visibility = "public"


@step
def settings_of_projects():
    project.container_registry_access_level = "private"
    project.save()
    equal(api.projects.get(project.id).container_registry_access_level, "private")
    refused(400, lambda: api.projects.update(project.id, {}))
    refused(400, lambda: api.projects.update(project.id, {"repository_storage": "nowhere"}))
    refused(400, lambda: api.projects.update(project.id, {"default_branch": "x"}))


@step
def members():
    made = project.members.create({"user_id": alice.id, "access_level": 30})
    refused(409, lambda: project.members.create({"user_id": alice.id, "access_level": 30}), "Member already exists")
    made.access_level = 33
    refused(400, made.save, {"access_level": ["is not included in the list"]})
    equal(sorted(one.username for one in project.members_all.list()), sorted(["root", alice.username]))
    equal(project.members_all.get(1).access_level, 50)
    equal([one.id for one in project.members.list(query=alice.username)], [alice.id])
    project.members.delete(alice.id)
    refused(404, lambda: project.members.delete(alice.id), "404 Not found")
    refused(404, lambda: project.members.create({"user_id": 999999999, "access_level": 30}), "404 User Not Found")
    refused(400, lambda: project.members.create({"user_id": bob.id, "access_level": 30, "expires_at": "2001-01-01"}))
    group.members.create({"user_id": bob.id, "access_level": 40, "expires_at": (today + datetime.timedelta(9)).isoformat()})
    refused(400, lambda: project.members.create({"user_id": bob.id, "access_level": 30}))
    group.members.delete(bob.id)
    assert bob.id not in ids(group.members_all.list())


@step
def invitations():
    address = f"guest{mark}@example.com"
    equal(project.invitations.create({"email": address, "access_level": 20}).attributes["status"], "success")
    texts = {address: "Invite email has already been taken", "broken": "Invite email is invalid"}
    try:
        project.invitations.create({"email": f"{address},broken", "access_level": 20})
    except gitlab.exceptions.GitlabInvitationError as error:
        equal(error.error_message, texts)
    else:
        raise AssertionError("the errors of single addresses are not shown")
    equal([one.invite_email for one in project.invitations.list(query="guest")], [address])
    project.invitations.update(address, {"access_level": 30})
    equal(project.invitations.list()[0].access_level, 30)
    guest = api.users.create(
        {"email": address, "username": f"guest{mark}", "name": "G", "password": "correct horse 42", "skip_confirmation": True}
    )
    equal(project.members.get(guest.id).access_level, 30)
    equal(project.invitations.list(), [])
    group.invitations.create({"email": f"other{mark}@example.com", "access_level": 10})
    group.invitations.delete(f"other{mark}@example.com")
    refused(404, lambda: group.invitations.delete(f"other{mark}@example.com"))
    equal(project.invitations.create({"user_id": alice.id, "access_level": 20}).status, "success")
    equal(project.members.get(alice.id).access_level, 20)
    project.members.delete(alice.id)
    project.members.delete(guest.id)


@step
def topics():
    one = api.topics.create({"name": f"one{mark}", "title": "One", "description": "d"})
    two = api.topics.create({"name": f"two{mark}", "title": "Two"})
    refused(400, lambda: api.topics.create({"name": f"ONE{mark}", "title": "x"}), {"name": ["has already been taken"]})
    project.topics = [f"one{mark}", f"new{mark}"]
    project.save()
    equal(api.topics.get(one.id).total_projects_count, 1)
    equal(ids(api.projects.list(topic_id=one.id)), [project.id])
    equal(ids(api.projects.list(topic=f"one{mark},new{mark}")), [project.id])
    equal(ids(api.projects.list(topic=f"two{mark}")), [])
    refused(400, lambda: api.topics.merge(one.id, one.id), "The source topic and the target topic are identical.")
    equal(api.topics.merge(one.id, two.id)["total_projects_count"], 1)
    refused(404, lambda: api.topics.get(one.id), "404 Not found")
    equal(sorted(api.projects.get(project.id).topics), sorted([f"two{mark}", f"new{mark}"]))
    two.avatar = picture()
    two.save()
    shown = api.topics.get(two.id)
    equal(api.session.get(shown.avatar_url).status_code, 200)
    shown.avatar = ""
    shown.save()
    equal(api.topics.get(two.id).avatar_url, None)
    refused(403, lambda: own.topics.create({"name": "x", "title": "x"}))
    two.delete()
    equal(api.topics.list(search=f"two{mark}"), [])


@step
def avatars():
    for owner, manager in ((group, api.groups), (project, api.projects)):
        owner.avatar = picture()
        owner.save()
        shown = manager.get(owner.id)
        assert shown.avatar_url.endswith("avatar.png"), shown.avatar_url
        equal(anonymous.session.get(shown.avatar_url).status_code, 200)
        equal(manager.gitlab.http_get(f"{owner.manager.path}/{owner.id}/avatar", raw=True).content[:4], b"\x89PNG")
        owner.avatar = ""
        owner.save()
        equal(manager.get(owner.id).avatar_url, None)
        refused(404, lambda: api.http_get(f"{owner.manager.path}/{owner.id}/avatar", raw=True), "404 Avatar Not Found")
        owner.avatar = io.BytesIO(b"no picture")
        refused(400, owner.save)
        del owner.__dict__["_updated_attrs"]["avatar"]


@step
def languages_and_statistics():
    add(project, "main.py", "print('x')\n" * 30)
    eventually(lambda: project.languages() == {"Python": 100.0} or None, "the language")
    found = eventually(lambda: api.projects.list(with_programming_language="Python", topic=f"new{mark}"), "the project")
    equal(ids(found), [project.id])
    equal(api.projects.list(with_programming_language="Ruby", topic=f"new{mark}"), [])
    folder, _ = cloned(project)
    folder.cleanup()
    eventually(lambda: project.additionalstatistics.get().fetches["total"] >= 1, "the fetch")
    statistics = api.projects.get(project.id, statistics=True).statistics
    has(statistics, "commit_count", "storage_size", "repository_size", "wiki_size", "uploads_size")
    api.http_post(f"/projects/{project.id}/repository_size")
    equal(api.http_get(f"/projects/{project.id}/storage")["repository_storage"], "default")
    project.housekeeping()
    has(api.groups.get(group.id, with_projects=False), "full_name")
    shown = [one for one in api.groups.list(statistics=True, search=f"g{mark}", get_all=True) if one.id == group.id]
    has(shown[0].statistics, "storage_size", "repository_size")


@step
def custom_attributes():
    for owner, manager in ((group, api.groups), (project, api.projects)):
        owner.customattributes.set("place", mark)
        equal(ids(manager.list(custom_attributes={"place": mark})), [owner.id])
        equal(manager.list(custom_attributes={"place": f"not {mark}"}), [])
        equal(manager.get(owner.id, with_custom_attributes=True).custom_attributes, [{"key": "place", "value": mark}])
        owner.customattributes.delete("place")


@step
def stars_and_forks():
    public = theirs.projects.get(project.id)
    public.star()
    equal(theirs.projects.get(project.id).star_count, 1)
    equal([one["user"]["id"] for one in theirs.http_get(f"/projects/{project.id}/starrers")], [bob.id])
    assert project.id in ids(bob.starred_projects.list())
    assert project.id in ids(theirs.projects.list(starred=True))
    public.unstar()
    equal(bob.starred_projects.list(), [])
    fork = theirs.projects.get(public.forks.create({}).id)
    eventually(lambda: theirs.projects.get(fork.id).import_status == "finished", "the end of the fork")
    equal(fork.forked_from_project["id"], project.id)
    equal(ids(project.forks.list()), [fork.id])
    refused(409, lambda: public.forks.create({}))
    folder, tree = cloned(fork, theirs)
    source, copy = cloned(project)
    equal(git(tree, "rev-parse", "HEAD"), git(copy, "rev-parse", "HEAD"))
    for one in (folder, source):
        one.cleanup()
    fork.delete_fork_relation()
    assert "forked_from_project" not in theirs.projects.get(fork.id).attributes
    api.projects.get(fork.id).create_fork_relation(project.id)
    equal(ids(project.forks.list()), [fork.id])


@step
def shares():
    other = api.groups.create({"name": f"O {mark}", "path": f"o{mark}"})
    other.members.create({"user_id": alice.id, "access_level": 40})
    branch = {"branch": "by-share", "ref": "main"}
    refused(403, lambda: own.projects.get(project.id).branches.create(branch))
    project.share(other.id, 30)
    refused(409, lambda: project.share(other.id, 30))
    own.projects.get(project.id).branches.create(branch)
    equal([one["group_id"] for one in api.projects.get(project.id).shared_with_groups], [other.id])
    equal(ids(other.shared_projects.list()), [project.id])
    assert other.id in ids(project.groups.list(with_shared=True))
    equal([one["id"] for one in api.http_list(f"/projects/{project.id}/invited_groups")], [other.id])
    project.unshare(other.id)
    refused(404, lambda: project.unshare(other.id), "404 Group Link Not Found")
    group.share(other.id, 20)
    equal([one["group_id"] for one in api.groups.get(group.id).shared_with_groups], [other.id])
    equal([one["id"] for one in api.http_list(f"/groups/{group.id}/invited_groups")], [other.id])
    group.unshare(other.id)
    other.delete()


@step
def activity():
    made = api.projects.create({"name": f"active {mark}"})
    made.members.create({"user_id": alice.id, "access_level": 40})
    there = own.projects.get(made.id)
    issue = there.issues.create({"title": "Broken"})
    issue.state_event = "close"
    issue.save()
    issue.notes.create({"body": "said"})
    seen = [(one.action_name, one.target_type) for one in made.events.list(sort="asc")]
    opened, closed = ("opened", "Issue"), ("closed", "Issue")
    equal(seen, [("created", None), ("joined", None), opened, closed, ("commented on", "Note")])
    equal([one.action_name for one in alice.events.list(action="closed")], ["closed"])
    assert "opened" in [one.action_name for one in own.events.list(target_type="issue")]
    refused(400, lambda: made.events.list(action="flown"), "action does not have a valid value")
    assert made.id in [one.id for one in alice.contributed_projects.list()]
    made.delete()


@step
def a_rename_and_its_redirect():
    project.path = "demo2"
    project.save()
    plain = anonymous.session.get(f"{url}/api/v4/projects/g{mark}%2Fdemo-app", allow_redirects=False)
    equal((plain.status_code, plain.headers["Location"]), (301, f"{url}/api/v4/projects/{project.id}"))
    refused(405, lambda: api.http_put(f"/projects/g{mark}%2Fdemo-app", post_data={"description": "x"}))
    old = url.replace("://", f"://git:{api.private_token}@") + f"/g{mark}/demo-app.git"
    folder, tree = cloned(project)
    git(tree, "fetch", "--quiet", old, "main")
    folder.cleanup()


@step
def archives():
    project.archive()
    equal(api.projects.get(project.id).archived, True)
    refused(403, lambda: add(project, "no.txt", "x"))
    assert project.id in ids(api.projects.list(archived=True, topic=f"new{mark}"))
    project.unarchive()
    equal(api.projects.get(project.id).archived, False)


@step
def transfers():
    moved = api.projects.create({"name": f"moved {mark}", "namespace_id": group.id})
    moved.transfer("root")
    equal(api.projects.get(moved.id).namespace["full_path"], "root")
    text = 'Failed to transfer project {:new_namespace=>["Project is already in this namespace."]}'
    refused(400, lambda: moved.transfer("root"), text)
    group.transfer_project(moved.id)
    equal(api.projects.get(moved.id).namespace["id"], group.id)
    there = api.groups.create({"name": f"T {mark}", "path": f"t{mark}"})
    there.transfer(group.id)
    equal(api.groups.get(there.id).full_path, f"g{mark}/t{mark}")
    refused(400, lambda: there.transfer(group.id))
    there.transfer()
    equal(api.groups.get(there.id).full_path, f"t{mark}")
    there.delete()


@step
def deletion():
    project.delete()
    marked = api.projects.get(project.id)
    equal(marked.marked_for_deletion_on, today.isoformat())
    again = api.projects.create({"name": "demo2", "namespace_id": group.id})
    refused(400, project.delete, "Project has been already marked for deletion")
    refused(400, lambda: again.delete(permanently_remove=True, full_path=again.path_with_namespace))
    again.delete()
    shown = api.projects.get(again.id)
    again.delete(permanently_remove=True, full_path=shown.path_with_namespace)
    eventually(lambda: refused(404, lambda: api.projects.get(again.id)), "the end of the project")
    project.restore()
    equal(api.projects.get(project.id).path, "demo2")
    refused(400, project.restore, "Project has not been marked for deletion")


@step
def lists_and_namespaces():
    page = api.projects.list(simple=True, per_page=1, page=2, order_by="id", sort="asc", get_all=False)
    equal(len(page), 1)
    total = api.projects.head()["x-total"]
    equal(api.projects.list(iterator=True).total, int(total))
    equal(api.projects.list(repository_storage="nowhere"), [])
    equal(len(api.projects.list(order_by="id", pagination="keyset", per_page=2, get_all=True)), int(total))
    equal(api.namespaces.exists(f"g{mark}").attributes, {"exists": True, "suggests": [f"g{mark}1"]})
    equal(api.namespaces.get(f"g{mark}").kind, "group")
    assert alice.username in [one.path for one in own.namespaces.list()]


@step
def tokens_of_projects_and_deploy_tokens():
    soon = (today + datetime.timedelta(days=20)).isoformat()
    for owner in (project, group):
        made = owner.access_tokens.create({"name": "t", "scopes": ["api"], "access_level": 30, "expires_at": soon})
        bot = gitlab.Gitlab(url, private_token=made.token)
        bot.auth()
        equal(bot.user.bot, True)
        assert bot.user.id in ids(owner.members.list())
        again = owner.access_tokens.get(made.id).rotate()
        assert again["token"] != made.token
        refused(401, bot.auth)
        owner.access_tokens.delete(again["id"])
        data = {"name": "d", "scopes": ["read_registry"], "expires_at": today.isoformat()}
        given = owner.deploytokens.create(data)
        assert given.expires_at.endswith("T00:00:00.000Z"), given.expires_at
        assert given.id in ids(api.deploytokens.list(get_all=True))
        refused(400, lambda: owner.deploytokens.create({"name": "d", "scopes": ["foo"]}), "scopes does not have a valid value")
        given.delete()


@step
def tokens_of_people():
    imp = alice.impersonationtokens.create({"name": "i", "scopes": ["api"]})
    equal(gitlab.Gitlab(url, private_token=imp.token).http_get("/user")["id"], alice.id)
    equal(ids(alice.impersonationtokens.list(state="active")), [imp.id])
    imp.delete()
    refused(401, lambda: gitlab.Gitlab(url, private_token=imp.token).http_get("/user"))
    made = alice.personal_access_tokens.create({"name": "r", "scopes": ["api"]})
    again = api.personal_access_tokens.get(made.id).rotate()
    refused(401, lambda: gitlab.Gitlab(url, private_token=made.token).http_get("/user"))
    refused(400, lambda: api.personal_access_tokens.get(made.id).rotate())
    refused(401, lambda: gitlab.Gitlab(url, private_token=again["token"]).http_get("/user"))
    self = own.personal_access_tokens.get("self")
    equal(self.user_id, alice.id)


@step
def states_of_accounts():
    equal((bob.block(), bob.block()), (True, None))
    refused(403, lambda: theirs.http_get("/user"))
    equal((bob.unblock(), bob.unblock()), (True, False))
    bob.ban()
    equal(api.users.get(bob.id).state, "banned")
    bob.unban()
    refused(403, lambda: bob.deactivate())
    refused(403, lambda: alice.memberships.list(sudo=alice.username))
    alice.provider, alice.extern_uid = "provider", mark
    alice.save()
    equal(ids(api.users.list(provider="provider", extern_uid=mark)), [alice.id])
    alice.identityproviders.delete("provider")


@step
def the_end():
    group.delete()
    equal(api.groups.get(group.id).marked_for_deletion_on, today.isoformat())
    group.restore()
    refused(400, group.restore, "Group has not been marked for deletion")
    refused(400, lambda: group.delete(permanently_remove=True, full_path=f"g{mark}"))
    group.delete()
    for one in (alice, bob):
        one.delete(hard_delete=True)


walk()
