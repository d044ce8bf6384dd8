"""The acceptance walk of users, tokens and instance settings (contract 20) with python-gitlab, unchanged.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_people_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails.
"""

import subprocess
import tempfile

import gitlab

from walking import anonymous, api, as_user, equal, git, has, mark, person, refused, step, url, walk

alice, bob = person("alice"), person("bob")
own = as_user(alice)
own.auth()
theirs = as_user(bob)
theirs.auth()


def gnupg(folder, *parameters):
    done = subprocess.run(["gpg", "--homedir", folder, "--batch", *parameters], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@step
def metadata():
    has(api.http_get("/metadata"), "version", "revision", "kas", "enterprise")
    equal(api.get_license()["plan"], "ultimate")
    refused(400, lambda: api.set_license("any"))
    statistics = api.statistics.get()
    assert statistics.active_users.replace(",", "").isdigit()
    refused(403, lambda: own.statistics.get())


@step
def status():
    mine = own.user.status.get()
    mine.emoji, mine.message = "thumbsup", "Test"
    mine.save()
    equal((own.user.status.get().emoji, alice.status.get().message), ("thumbsup", "Test"))
    own.http_put("/user/status", post_data={"message": "only"})
    equal(own.user.status.get().emoji, "speech_balloon")
    refused(400, lambda: own.http_put("/user/status", post_data={"emoji": "no such"}))


@step
def preferences():
    has(own.http_get("/user/preferences"), "user_id", "view_diffs_file_by_file")
    equal(own.http_put("/user/preferences", post_data={"view_diffs_file_by_file": True})["view_diffs_file_by_file"], True)


@step
def emails():
    made = own.user.emails.create({"email": f"second{mark}@example.com"})
    equal([one.id for one in alice.emails.list()], [made.id])
    refused(400, lambda: theirs.user.emails.create({"email": made.email}))
    made.delete()
    alice.emails.create({"email": f"third{mark}@example.com", "skip_confirmation": True})
    equal(len(own.user.emails.list()), 1)


@step
def keys():
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILZH4Wqf6A7zMjZbofHmsRSupJLnFPMwW4OJZlxXTg+A"
    made = own.user.keys.create({"title": "laptop", "key": key})
    refused(400, lambda: theirs.user.keys.create({"title": "same", "key": key}))
    fingerprint = subprocess.run(["ssh-keygen", "-lf", "/dev/stdin"], input=key, capture_output=True, text=True).stdout.split()[1]
    equal(api.keys.get(fingerprint=fingerprint).user["id"], alice.id)
    made.delete()
    refused(404, lambda: api.keys.get(fingerprint=fingerprint))


@step
def gpg_keys_and_signatures():
    project = own.projects.create({"name": f"signed {mark}"})
    with tempfile.TemporaryDirectory() as folder:
        home = f"{folder}/gnupg"
        subprocess.run(["mkdir", "-m", "700", home], check=True)
        gnupg(home, "--passphrase", "", "--quick-gen-key", f"Alice <alice{mark}@example.com>", "ed25519", "sign", "0")
        program = f"{folder}/sign.sh"
        with open(program, "w") as script:
            script.write(f"#!/bin/sh\nexec gpg --homedir '{home}' \"$@\"\n")
        subprocess.run(["chmod", "755", program], check=True)
        tree = f"{folder}/tree"
        subprocess.run(["git", "init", "--quiet", "--initial-branch=main", tree], check=True)
        for name, value in (("user.name", "Alice"), ("user.email", f"alice{mark}@example.com"), ("gpg.program", program)):
            git(tree, "config", name, value)
        git(tree, "commit", "--quiet", "--allow-empty", "-S", "-m", "signed")
        remote = f"{url.replace('//', f'//x:{own.private_token}@')}/{project.path_with_namespace}.git"
        git(tree, "push", "--quiet", remote, "main")
        sha = git(tree, "rev-parse", "HEAD")
        armour = gnupg(home, "--armor", "--export")
        subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=False)
    commit = project.commits.get(sha)
    equal(commit.signature()["verification_status"], "unknown_key")
    key = own.user.gpgkeys.create({"key": armour})
    refused(400, lambda: theirs.user.gpgkeys.create({"key": armour}), {"key": ["has already been taken"]})
    refused(400, lambda: own.user.gpgkeys.create({"key": "no key"}))
    equal(commit.signature()["verification_status"], "verified")
    equal([one.id for one in alice.gpgkeys.list()], [key.id])
    own.http_post(f"/user/gpg_keys/{key.id}/revoke")
    equal(commit.signature()["verification_status"], "unverified")
    equal(own.user.gpgkeys.list(), [])


@step
def following():
    theirs.users.get(alice.id).follow()
    equal([one.id for one in alice.followers_users.list()], [bob.id])
    equal([one.id for one in bob.following_users.list()], [alice.id])
    equal(theirs.users.get(alice.id).is_followed, True)
    theirs.users.get(alice.id).unfollow()
    equal(alice.followers_users.list(), [])


@step
def custom_attributes():
    group = api.groups.create({"name": f"attributed {mark}", "path": f"attributed{mark}"})
    project = api.projects.create({"name": "p", "namespace_id": group.id})
    for owner, manager in ((alice, api.users), (group, api.groups), (project, api.projects)):
        owner.customattributes.set("place", mark)
        equal(owner.customattributes.get("place").value, mark)
        equal([one.id for one in manager.list(custom_attributes={"place": mark})], [owner.id])
        (shown,) = manager.list(custom_attributes={"place": mark}, with_custom_attributes=True)
        equal(shown.custom_attributes, [{"key": "place", "value": mark}])
        owner.customattributes.delete("place")
        refused(404, lambda: owner.customattributes.get("place"))


@step
def counts_and_memberships():
    has(own.http_get("/user_counts"), "assigned_issues", "review_requested_merge_requests", "todos")
    has(own.http_get(f"/users/{alice.id}/associations_count"), "groups_count", "projects_count")
    refused(403, lambda: theirs.http_get(f"/users/{alice.id}/associations_count"))
    project = api.projects.create({"name": f"joined {mark}"})
    project.members.create({"user_id": bob.id, "access_level": 30})
    equal([one.source_id for one in bob.memberships.list(type="Project")], [project.id])
    refused(400, lambda: bob.memberships.list(type="Invalid"), "type does not have a valid value")
    assert f"alice{mark}" in [one.username for one in api.user_activities.list(get_all=True)]
    reached = theirs.http_get("/personal_access_tokens/self/associations")
    equal([one["id"] for one in reached["projects"]], [project.id])


@step
def applications():
    made = api.applications.create({"name": f"app {mark}", "redirect_uri": "http://app.example/cb", "scopes": "api"})
    assert made.secret
    assert made.id in [one.id for one in api.applications.list(get_all=True)]
    refused(400, lambda: api.applications.create({"name": "x", "redirect_uri": "x", "scopes": "api"}))
    password = {"username": f"alice{mark}", "password": "correct horse 42", "grant_type": "password"}
    client = {"client_id": made.application_id, "client_secret": made.secret}
    granted = api.http_post(f"{url}/oauth/token", post_data={**password, **client})
    equal(gitlab.Gitlab(url, oauth_token=granted["access_token"]).http_get("/user")["id"], alice.id)
    made.delete()
    refused(401, lambda: gitlab.Gitlab(url, oauth_token=granted["access_token"]).http_get("/user"))


@step
def expired_passwords():
    alice.password = "another horse 43"
    alice.save()
    grant = {"grant_type": "password", "username": f"alice{mark}", "password": "another horse 43"}
    refused(400, lambda: anonymous.http_post(f"{url}/oauth/token", post_data=grant))
    equal(own.http_get("/user")["id"], alice.id)


@step
def the_end_of_users():
    alice.block()
    refused(403, lambda: own.http_get("/user"))
    api.users.delete(alice.id, hard_delete=True)
    refused(404, lambda: api.users.get(alice.id), "404 User Not Found")


walk()
