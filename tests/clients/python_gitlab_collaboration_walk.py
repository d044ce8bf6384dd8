"""The acceptance walk of collaboration (contract 25, steps 1 to 7, 11 to 16) with python-gitlab, unchanged: boards, badges, search,
Markdown, notification settings, suggestions, integrations, approvals of projects, member roles, group links, metrics, GraphQL, appearance.
Steps 8 to 10 are in python_gitlab_archives_walk.py.

    pip install 'python-gitlab[graphql]'
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_collaboration_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails.
"""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import gitlab
from walking import add, allow_local, anonymous, api, as_user, equal, eventually, has, mark, person, refused, step, token, url, walk

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360f8cf5000000385018080f4b2cf0000000049454e44ae426082"
)

settings = api.settings.get()
settings.search_rate_limit = 0
settings.save()
group = api.groups.create({"name": f"together {mark}", "path": f"together{mark}"})
project = api.projects.create({"name": "p", "namespace_id": group.id, "initialize_with_readme": True})
label = group.labels.create({"name": "ui", "color": "#ff0000"})
other_label = group.labels.create({"name": "api", "color": "#00ff00"})
people = {name: person(name) for name in ("own", "main", "dev", "visit", "stranger")}
group.members.create({"user_id": people["own"].id, "access_level": 50})
group.members.create({"user_id": people["main"].id, "access_level": 40})
for name, level in (("dev", 30), ("visit", 10)):
    project.members.create({"user_id": people[name].id, "access_level": level})
clients = {name: as_user(user) for name, user in people.items()}
kept, theirs, visited = (clients[name].projects.get(project.id) for name in ("main", "dev", "visit"))
led = clients["own"].groups.get(group.id)


def walk_boards(parent, reader):
    equal(reader.boards.list(get_all=True), [])
    board = parent.boards.create({"name": "b"})
    equal(board.lists if isinstance(board.lists, list) else board.attributes["lists"], [])
    first = board.lists.create({"label_id": label.id}) if not isinstance(board.lists, list) else None
    equal((first.position, first.label["name"]), (0, "ui"))
    refused(400, lambda: board.lists.create({"label_id": label.id}))
    refused(400, lambda: parent.manager.gitlab.http_post(f"{board.manager.path}/{board.id}/lists", post_data={}))
    second = board.lists.create({"label_id": other_label.id})
    second.position = 0
    second.save()
    equal([one.label["name"] for one in board.lists.list(get_all=True)], ["api", "ui"])
    second.position = 9
    refused(400, second.save, {"error": "List could not be moved!"})
    equal(board.lists.get(second.id).position, 0)
    board.lists.delete(second.id)
    board.name = "renamed"
    board.save()
    equal(reader.boards.get(board.id).name, "renamed")
    board.delete()
    refused(404, lambda: parent.boards.get(board.id), "404 Not found")


@step
def boards():
    refused(403, lambda: visited.boards.create({"name": "b"}))
    walk_boards(kept, visited)
    walk_boards(clients["main"].groups.get(group.id), led)


@step
def badges():
    made = kept.badges.create({"link_url": "https://x/%{project_path}", "image_url": "https://x/i.svg"})
    assert made.rendered_link_url.endswith("p"), made.rendered_link_url
    refused(400, lambda: kept.badges.create({"link_url": "ftp://x", "image_url": "https://x/i.svg"}))
    above = led.badges.create({"link_url": "https://x/group", "image_url": "https://x/g.svg"})
    equal([(one.id, one.kind) for one in visited.badges.list(get_all=True)], [(above.id, "group"), (made.id, "project")])
    refused(403, lambda: kept.badges.delete(above.id))
    shown = kept.badges.render("https://x/%{project_id}", "https://x/i.svg")
    equal(shown["rendered_link_url"], f"https://x/{project.id}")
    made.link_url = "https://x/new"
    made.save()
    equal(kept.badges.get(made.id).link_url, "https://x/new")
    made.delete()
    above.delete()
    equal(kept.badges.list(get_all=True), [])


@step
def search_in_all_scopes():
    add(project, "lib/hay.rb", "one\ntwo\nneedle in hay\nfour\n", commit_message="Add a needle of a commit")
    issue = theirs.issues.create({"title": "A needle of an issue"})
    issue.notes.create({"body": "A needle of a note"})
    project.milestones.create({"title": "A needle of a milestone"})
    theirs.branches.create({"branch": "sought", "ref": "main"})
    add(theirs, "sought.txt", "x", branch="sought")
    theirs.mergerequests.create({"source_branch": "sought", "target_branch": "main", "title": "A needle of a request"})
    project.wikis.create({"title": "Sought", "content": "A needle of a page"})
    clients["dev"].snippets.create({"title": "A needle of a snippet", "visibility": "private", "files": [{"file_path": "a", "content": "x"}]})
    [hit] = theirs.search("blobs", "NEEDLE in")
    equal((hit["path"], hit["startline"], hit["ref"], hit["data"]), ("lib/hay.rb", 1, "main", "one\ntwo\nneedle in hay\nfour\n"))
    equal(visited.search("blobs", "needle"), [])
    equal(theirs.search("blobs", "needle extension:py"), [])
    equal(len(theirs.search("blobs", "needle extension:rb")), 1)
    for scope in ("issues", "merge_requests", "milestones", "notes", "commits", "blobs", "wiki_blobs"):
        for place in (theirs, clients["dev"], led):
            assert len(place.search(scope, "needle")) >= 1, f"{scope} in {place}"
        equal((scope, clients["stranger"].search(scope, "needle")), (scope, []))
    equal(len(clients["dev"].search("snippet_titles", "needle")), 1)
    equal(clients["stranger"].search("snippet_titles", "needle"), [])
    equal([one["id"] for one in led.search("projects", "p")], [project.id])
    equal(len(clients["dev"].search("projects", f"nothing{mark}")), 0)
    equal(clients["dev"].search("users", "Administrator")[0]["id"], 1)
    refused(400, lambda: clients["dev"].search("nope", "x"))
    refused(401, lambda: anonymous.search("issues", "x"))


@step
def markdown():
    assert "foo" in api.markdown("foo")
    path = project.path_with_namespace
    assert "<a " in clients["dev"].markdown("#1", gfm=True, project=path)
    refused(404, lambda: clients["stranger"].markdown("#1", gfm=True, project=path))
    shown = api.markdown("<script>alert(1)</script> [a](javascript:alert(1))", gfm=True)
    assert "<script" not in shown and "href" not in shown, shown
    refused(401, lambda: anonymous.markdown("foo"))


@step
def notification_settings():
    own = clients["dev"].notificationsettings.get()
    equal(own.level, "participating")
    own.level = "watch"
    own.save()
    own.level = "foo"
    refused(400, own.save, "'foo' is not a valid level")
    of_group = clients["dev"].groups.get(group.id).notificationsettings.get()
    equal(of_group.level, "global")
    of_group.level = "custom"
    of_group.new_note = True
    of_group.save()
    equal(clients["dev"].groups.get(group.id).notificationsettings.get().events["new_note"], True)
    refused(400, lambda: clients["dev"].notificationsettings.update(new_data={"notification_email": "x@y.z"}))
    of_project = theirs.notificationsettings.get()
    of_project.level = "mention"
    of_project.save()
    equal(theirs.notificationsettings.get().level, "mention")


@step
def suggestions():
    theirs.branches.create({"branch": "topic", "ref": "main"})
    add(theirs, "topic.txt", "one\ntwo\nthree\n", branch="topic")
    request = theirs.mergerequests.create({"source_branch": "topic", "target_branch": "main", "title": "Topic"})
    refs = eventually(lambda: theirs.mergerequests.get(request.iid).diff_refs, "the diff")
    at = {**refs, "position_type": "text", "old_path": "topic.txt", "new_path": "topic.txt", "new_line": 2}
    body = "```suggestion:-0+0\nTWO\n```"
    thread = theirs.mergerequests.get(request.iid).discussions.create({"body": body, "position": at})
    note = thread.attributes["notes"][0]
    [suggestion] = note["suggestions"]
    equal((suggestion["appliable"], suggestion["from_content"], suggestion["to_content"]), (True, "two\n", "TWO\n"))
    address = f"/suggestions/{suggestion['id']}/apply"
    refused(403, lambda: clients["visit"].http_put(address))
    equal(clients["dev"].http_put(address)["applied"], True)
    equal(theirs.files.get("topic.txt", "topic").decode(), b"one\nTWO\nthree\n")
    refused(400, lambda: clients["dev"].http_put(address))
    refused(404, lambda: clients["dev"].http_put("/suggestions/999999999/apply"))
    refused(404, lambda: clients["dev"].http_put("/suggestions/batch_apply", post_data={"ids": [999_999_999]}))


@step
def integrations():
    refused(400, lambda: kept.integrations.update("asana", {}))
    kept.integrations.update("asana", {"api_key": "k"})
    shown = kept.integrations.get("asana")
    equal(shown.active, True)
    assert "api_key" not in shown.properties, shown.properties
    equal([one.slug for one in kept.integrations.list(get_all=True)], ["asana"])
    refused(404, lambda: kept.integrations.get("jira"))
    shown.delete()
    equal(kept.integrations.get("asana").active, False)
    path = f"/groups/{group.id}/integrations/mattermost"
    clients["main"].http_put(path, post_data={"webhook": "https://chat.example.com/hooks/x"})
    [inherited] = kept.services.list(get_all=True)
    equal((inherited.slug, inherited.inherited), ("mattermost", True))
    clients["main"].http_delete(path)
    equal(kept.integrations.list(get_all=True), [])
    refused(404, lambda: kept.integrations.update("nope", {"x": 1}))
    refused(403, lambda: theirs.integrations.update("asana", {"api_key": "k"}))


@step
def a_chat_that_is_told_of_a_push():
    received = []

    class Sink(BaseHTTPRequestHandler):
        def do_POST(self):
            received.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    sink = HTTPServer(("127.0.0.1", 0), Sink)
    threading.Thread(target=sink.serve_forever, daemon=True).start()
    webhook = f"http://127.0.0.1:{sink.server_port}/hook"
    allow_local(False)
    refused(400, lambda: kept.integrations.update("slack", {"webhook": webhook}))
    allow_local(True)
    kept.services.update("slack", {"webhook": webhook, "push_events": True})
    add(project, "told.txt", "x")
    eventually(lambda: any('"text"' in body for body in received), "the message")
    kept.services.delete("slack")
    allow_local(False)
    sink.shutdown()


@step
def approvals_of_a_project():
    approvals = kept.approvals.get()
    has(approvals, "reset_approvals_on_push", "approvals_before_merge", "merge_requests_author_approval")
    approvals.reset_approvals_on_push = False
    approvals.save()
    equal(kept.approvals.get().reset_approvals_on_push, False)
    rule = kept.approvalrules.create({"name": "security", "approvals_required": 1, "user_ids": [people["main"].id]})
    equal([one.name for one in kept.approvalrules.list(get_all=True)], ["security"])
    rule.approvals_required = 2
    rule.save()
    equal(kept.approvalrules.get(rule.id).approvals_required, 2)
    rule.delete()
    refused(403, lambda: theirs.approvalrules.create({"name": "x", "approvals_required": 1}))


@step
def member_roles():
    refused(400, lambda: api.member_roles.create({"name": f"none {mark}", "base_access_level": 20}))
    made = {"name": f"hooks {mark}", "base_access_level": 20, "admin_web_hook": True}
    refused(403, lambda: clients["own"].member_roles.create(made))
    role = api.member_roles.create(made)
    equal((role.admin_web_hook, role.read_code, role.group_id), (True, False, None))
    member = {"user_id": people["stranger"].id, "access_level": 20, "member_role_id": role.id}
    project.members.create(member)
    given = clients["stranger"].projects.get(project.id)
    given.hooks.create({"url": "https://example.com/hook"})
    refused(403, lambda: add(given, "theirs.txt", "x"))
    refused(400, role.delete if hasattr(role, "delete") else lambda: api.member_roles.delete(role.id))
    project.members.delete(people["stranger"].id)
    api.member_roles.delete(role.id)
    own = led.member_roles.create({"name": f"code {mark}", "base_access_level": 10, "read_code": True})
    equal([one.id for one in led.member_roles.list(get_all=True)], [own.id])
    led.member_roles.delete(own.id)


@step
def group_links():
    links = led.ldap_group_links
    links.create({"provider": "ldapmain", "group_access": 30, "cn": "devs"})
    links.create({"provider": "ldapmain", "group_access": 20, "filter": "(uid=x)"})
    refused(409, lambda: links.create({"provider": "ldapmain", "group_access": 30, "cn": "devs"}))
    listed = links.list(get_all=True)
    equal([(one.cn, one.filter) for one in listed], [("devs", None), (None, "(uid=x)")])
    refused(404, led.ldap_sync)
    for one in listed:
        one.delete()
    refused(404, lambda: links.list(get_all=True), "No linked LDAP groups found")
    equal(api.ldapgroups.list(get_all=True), [])
    made = led.saml_group_links.create({"saml_group_name": "saml devs", "access_level": 30})
    equal(led.saml_group_links.get("saml devs").access_level, 30)
    equal(len(led.saml_group_links.list(get_all=True)), 1)
    made.delete()
    refused(404, lambda: led.saml_group_links.get("saml devs"))


@step
def excluded_namespaces():
    refused(403, lambda: api.http_list("/namespaces/storage/limit_exclusions", get_all=True))


@step
def metrics_of_jobs():
    refused(403, clients["own"].sidekiq.compound_metrics)
    shown = api.sidekiq.compound_metrics()
    has(shown, "queues", "processes", "jobs")
    has(shown["queues"], "default")
    has(shown["processes"][0], "hostname", "pid")
    assert api.sidekiq.queue_metrics()["queues"].keys() == shown["queues"].keys()
    has(api.sidekiq.process_metrics(), "processes")
    before = shown["jobs"]["processed"]
    add(project, "counted.txt", "x")
    eventually(lambda: api.sidekiq.job_stats()["jobs"]["processed"] > before, "the job")


@step
def graphql():
    query = "query { currentUser { active } }"
    equal(gitlab.GraphQL(url, token=token).execute(query), {"currentUser": {"active": True}})
    equal(gitlab.GraphQL(url).execute(query), {"currentUser": None})
    asked = 'query { project(fullPath: "%s") { name } }' % project.path_with_namespace
    equal(gitlab.GraphQL(url, token=clients["stranger"].private_token).execute(asked), {"project": None})
    equal(gitlab.GraphQL(url, token=clients["dev"].private_token).execute(asked), {"project": {"name": "p"}})
    has(gitlab.GraphQL(url, token=token).execute("query { queryComplexity { score limit } }")["queryComplexity"], "score")
    refused(401, lambda: gitlab.Gitlab(url, private_token="nope").http_post("/../graphql", post_data={"query": query}))


@step
def appearance():
    shown = api.appearance.get()
    shown.title = f"title {mark}"
    shown.save()
    equal(api.appearance.get().title, f"title {mark}")
    refused(400, lambda: api.appearance.update(new_data={"message_font_color": "red1"}))
    refused(403, clients["own"].appearance.get)
    # Of files, python-gitlab itself sends only those that are called `file` and `avatar`.
    sent = {"files": {"logo": ("logo.png", PNG, "image/png")}, "headers": {"PRIVATE-TOKEN": token}}
    logo = api.session.put(f"{url}/api/v4/application/appearance", **sent).json()["logo"]
    equal(anonymous.session.get(f"{url}{logo}").content, PNG)


@step
def usage_data():
    equal(api.http_get("/usage_data/service_ping"), {})
    refused(400, lambda: api.http_post("/usage_data/track_event", post_data={}))
    equal(api.http_post("/usage_data/track_event", post_data={"event": "x"}), {"status": "ok"})


walk()
