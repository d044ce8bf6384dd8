"""The acceptance walk of webhooks (contract 21, hooks), with python-gitlab, unchanged.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_hooks_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails. Needs git. While it runs, webhooks may reach the machine
that the server is on, and the walk listens there.
"""

import hashlib
import hmac
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from walking import add, api, as_user, cloned, equal, eventually, git, has, mark, person, refused, step, walk

received = []
answers = {"status": 200}


class Listener(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        received.append((dict(self.headers), body))
        self.send_response(answers["status"])
        self.end_headers()
        self.wfile.write(b"heard")

    def log_message(self, *_):
        pass


listener = ThreadingHTTPServer(("127.0.0.1", 0), Listener)
threading.Thread(target=listener.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{listener.server_port}/hook"

settings = api.settings.get()
before = settings.allow_local_requests_from_web_hooks_and_services
group = api.groups.create({"name": f"hooks {mark}", "path": f"hooks{mark}"})
project = api.projects.create({"name": "p", "namespace_id": group.id, "initialize_with_readme": True})
developer = person("dev")
project.members.create({"user_id": developer.id, "access_level": 30})


def allow(value):
    settings.allow_local_requests_from_web_hooks_and_services = value
    settings.save()


def heard(event):
    def find():
        return next((one for one in received if one[0]["X-Gitlab-Event"] == event), None)

    headers, body = eventually(find, event)
    received.clear()
    return headers, json.loads(body), body


@step
def local_addresses_are_refused_unless_a_setting_allows_them():
    allow(False)
    error = refused(422, lambda: project.hooks.create({"url": address}))
    assert "Invalid url given" in str(error)
    allow(True)


@step
def a_push_is_told():
    hook = project.hooks.create({"url": address, "token": "s3cret", "custom_headers": [{"key": "X-Walk", "value": "on"}]})
    has(hook, "id", "url", "project_id", "push_events", "alert_status", "custom_headers", "url_variables")
    assert "token" not in hook.attributes
    equal((hook.push_events, hook.issues_events, hook.enable_ssl_verification), (True, False, True))
    folder, work = cloned(project)
    with folder:
        with open(os.path.join(work, "a.txt"), "w") as file:
            file.write("a")
        git(work, "add", "a.txt")
        git(work, "commit", "--quiet", "-m", "Add a")
        git(work, "push", "--quiet", "-o", "ci.skip", "origin", "HEAD:main")
        sha = git(work, "rev-parse", "HEAD")
    headers, payload, body = heard("Push Hook")
    equal((headers["X-Gitlab-Token"], headers["X-Service-Token"], headers["X-Walk"]), ("s3cret", "s3cret", "on"))
    equal(headers["X-Gitlab-Signature"], hmac.new(b"s3cret", body, hashlib.sha256).hexdigest())
    has(headers, "X-Gitlab-Instance", "X-Gitlab-Webhook-UUID", "X-Gitlab-Event-UUID", "Idempotency-Key", "User-Agent")
    equal((payload["object_kind"], payload["after"], payload["total_commits_count"]), ("push", sha, 1))
    equal((payload["commits"][0]["added"], payload["push_options"]), (["a.txt"], {"ci.skip": True}))
    events = eventually(lambda: api.http_list(f"/projects/{project.id}/hooks/{hook.id}/events"), "the log")
    equal((events[0]["trigger"], events[0]["response_status"], events[0]["response_body"]), ("push_hooks", "200", "heard"))
    again = api.http_post(f"/projects/{project.id}/hooks/{hook.id}/events/{events[0]['id']}/resend")
    equal(again, {"response_status": 200})
    equal(heard("Push Hook")[0]["Idempotency-Key"], headers["Idempotency-Key"])


@step
def a_failing_receiver_is_left_alone_until_it_answers():
    hook = project.hooks.list()[0]
    answers["status"] = 500
    for number in range(4):
        add(project, f"failing-{number}.txt", "x")
        eventually(lambda: len(received) == number + 1, "the request")
    left = lambda: project.hooks.get(hook.id).alert_status == "temporarily_disabled"
    eventually(left, "the pause")
    answers["status"] = 200
    equal(hook.test("push_events"), None)
    equal(project.hooks.get(hook.id).alert_status, "executable")
    received.clear()


@step
def hooks_are_changed_and_deleted():
    hook = project.hooks.list()[0]
    hook.issues_events, hook.push_events, hook.url = True, False, address
    hook.save()
    issue = project.issues.create({"title": "Told"})
    equal(heard("Issue Hook")[1]["object_attributes"]["iid"], issue.iid)
    refused(422, lambda: hook.test("releases_events"), "Ensure the project has releases.")
    theirs = as_user(developer).projects.get(project.id)
    refused(403, lambda: theirs.hooks.list())
    hook.delete()
    refused(404, lambda: project.hooks.get(hook.id), "404 Not found")


@step
def hooks_of_groups_hear_of_projects_below():
    hook = group.hooks.create({"url": address, "push_events": False, "member_events": True, "note_events": True})
    equal((hook.group_id, hook.member_events, hook.subgroup_events), (group.id, True, False))
    issue = project.issues.list()[0]
    issue.notes.create({"body": "Heard below"})
    equal(heard("Note Hook")[1]["issue"]["iid"], issue.iid)
    group.members.create({"user_id": developer.id, "access_level": 20})
    equal(heard("Member Hook")[1]["event_name"], "user_add_to_group")
    hook.delete()


@step
def hooks_of_the_instance_hear_of_everything():
    hook = api.hooks.create({"url": address, "token": "s3cret"})
    equal((hook.push_events, hook.repository_update_events), (False, True))
    person("told")
    equal(heard("System Hook")[1]["event_name"], "user_create")
    equal(api.http_post(f"/hooks/{hook.id}")["event_name"], "project_create")
    heard("System Hook")
    hook.delete()


@step
def everything_is_put_back():
    allow(before)
    group.delete()


walk()
