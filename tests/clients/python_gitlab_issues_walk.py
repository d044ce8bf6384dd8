"""The acceptance walks of issues (contract 16), labels, milestones, iterations and epics (17) and resource events (18) with
python-gitlab, unchanged. Issues are closed by commits that git pushes.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_issues_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails.
"""

from datetime import date, timedelta

from walking import add, anonymous, as_user, cloned, equal, eventually, git, has, mark, person, refused, step, walk
from walking import api as root

roles = {"owner": 50, "maintainer": 40, "developer": 30, "planner": 15, "guest": 10}
people = {name: person(name) for name in [*roles, "stranger"]}
clients = {name: as_user(user) for name, user in people.items()}
home = root.groups.create({"name": f"issues {mark}", "path": f"issues{mark}", "visibility": "public"})
for name, level in roles.items():
    home.members.create({"user_id": people[name].id, "access_level": level})
made = root.projects.create({"name": "p", "namespace_id": home.id, "visibility": "public"})
second = root.projects.create({"name": "q", "namespace_id": home.id})
alone = root.projects.create({"name": f"alone{mark}"})
add(made, "README.md", "one")
state = {}


def project(role, of=made):
    return clients[role].projects.get(of.id)


def group(role):
    return clients[role].groups.get(home.id)


def day(distance):
    return (date.today() + timedelta(days=distance)).isoformat()


def iids(of, **filters):
    return [one.iid for one in of.issues.list(get_all=True, **filters)]


def events(of):
    return [(one.label and one.label["name"], one.action) for one in of.resourcelabelevents.list(get_all=True)]


# Contract 16


@step
def issues_are_created():
    data = {"title": "A", "labels": ["bug", "ui"], "weight": 3, "due_date": day(0)}
    first = project("maintainer").issues.create(data)
    equal([first.iid, first.labels, first.type, first.weight, first.subscribed], [1, ["bug", "ui"], "ISSUE", 3, True])
    equal([one.name for one in project("guest").labels.list()], ["bug", "ui"])
    equal(project("guest").issues.create({"title": "B", "labels": ["x"]}).labels, [])
    assert "title" in refused(400, lambda: project("guest").issues.create({"title": ""})).error_message
    has(first, "references", "time_stats", "task_completion_status", "_links", "health_status", "epic", "iteration")
    equal(first.references["full"], f"issues{mark}/p#1")
    refused(401, lambda: anonymous.projects.get(made.id).issues.create({"title": "C"}))


@step
def issues_are_listed():
    developer = clients["developer"]
    equal(developer.issues.list(), [])
    mine = [one.iid for one in developer.issues.list(scope="all", get_all=True) if one.project_id == made.id]
    equal(mine, [2, 1])
    refused(401, lambda: anonymous.issues.list())
    equal([one.iid for one in anonymous.issues.list(scope="all", get_all=True) if one.project_id == made.id], [2, 1])
    equal([one.references["relative"] for one in group("guest").issues.list()], ["p#2", "p#1"])


@step
def issues_are_filtered():
    of = project("developer")
    equal(iids(of, labels=["bug", "ui"]), [1])
    equal(iids(of, labels="None"), [2])
    equal(iids(of, labels=["bug", "nope"]), [])
    equal(iids(of, **{"not[labels]": "bug"}), [2])
    equal(iids(of, iids=[1]), [1])
    equal(iids(of, search="a", in_="title"), [1])
    both = {"assignee_id": "None", "assignee_username[]": "a"}
    # The query is in the order in which python sends it; the names in the message are not.
    error = refused(400, lambda: of.issues.list(**both))
    assert "assignee_id, assignee_username are mutually exclusive" in error.error_message, error.error_message
    refused(400, lambda: of.issues.list(milestone_id="foo"))
    equal([iids(of, due_date=one) for one in ("today", "overdue", "0")], [[1], [], [2]])
    refused(400, lambda: of.issues.list(due_date="soon"))
    detailed = of.issues.list(with_labels_details=True, labels="bug")[0].labels[0]
    has(detailed, "id", "name", "description", "description_html", "text_color", "color")


@step
def confidential_issues():
    issue = project("maintainer").issues.get(1)
    issue.confidential = True
    issue.save()
    refused(404, lambda: project("guest").issues.get(1))
    for of in (project("guest"), group("guest")):
        equal(iids(of), [2])
    issue.assignee_ids = [people["guest"].id]
    issue.save()
    equal(project("guest").issues.get(1).assignee["username"], people["guest"].username)
    issue.confidential, issue.assignee_ids = False, []
    issue.save()
    equal(project("guest").issues.get(1).assignees, [])


@step
def reactions():
    of = project("developer")
    made_award = of.issues.get(1).awardemojis.create({"name": "thumbsup"})
    error = refused(404, lambda: of.issues.get(1).awardemojis.create({"name": "thumbsup"}))
    assert "has already been taken" in error.error_message
    equal(iids(of, order_by="popularity"), [1, 2])
    equal([iids(of, my_reaction_emoji=one) for one in ("thumbsup", "None")], [[1], [2]])
    equal(of.issues.get(1).upvotes, 1)
    refused(401, lambda: project("planner").issues.get(1).awardemojis.delete(made_award.id))
    note = of.issues.get(1).notes.create({"body": "a note"})
    note.awardemojis.create({"name": "tada"})
    equal([one.name for one in note.awardemojis.list()], ["tada"])


@step
def notes_and_discussions():
    issue = project("developer").issues.get(1)
    done = issue.notes.create({"body": "/health_status on_track"})
    has(done, "commands_changes", "summary")
    equal(project("developer").issues.get(1).health_status, "on_track")
    equal(iids(project("developer"), health_status="Any"), [1])
    refused(400, lambda: issue.notes.create({"body": " "}))
    note = issue.notes.list(activity_filter="only_comments")[0]
    note.body = "another"
    note.save()
    equal(issue.notes.get(note.id).body, "another")
    refused(403, lambda: project("guest").issues.get(1).notes.update(note.id, {"body": "x"}))
    discussion = issue.discussions.create({"body": "thread"})
    equal(discussion.attributes["individual_note"], False)
    reply = discussion.notes.create({"body": f"hi @{people['planner'].username}"})
    equal([one["body"] for one in issue.discussions.get(discussion.id).attributes["notes"]][0], "thread")
    discussion.notes.delete(reply.id)
    equal(len(issue.discussions.get(discussion.id).attributes["notes"]), 1)
    participants = [one["username"] for one in issue.participants()]
    assert people["developer"].username in participants, participants


@step
def order_by_hand():
    first, other = project("planner").issues.get(1), project("planner").issues.get(2)
    other.reorder(move_before_id=first.id)
    equal(iids(project("guest"), order_by="relative_position", sort="asc"), [2, 1])


@step
def time_tracking():
    issue = project("planner").issues.get(1)
    equal(issue.time_estimate("3h30m")["human_time_estimate"], "3h 30m")
    refused(400, lambda: issue.time_estimate("abc"))
    equal(issue.add_spent_time("1h")["total_time_spent"], 3600)
    equal(project("planner").issues.get(1).time_stats()["total_time_spent"], 3600)
    equal(issue.reset_spent_time()["total_time_spent"], 0)
    equal(issue.reset_time_estimate()["time_estimate"], 0)
    refused(403, lambda: project("guest").issues.get(1).time_estimate("1h"))


@step
def links():
    issue = project("planner").issues.get(1)
    source, target = issue.links.create({"target_project_id": made.id, "target_issue_iid": 2, "link_type": "blocks"})
    equal([source.iid, target.iid], [1, 2])
    again = lambda: issue.links.create({"target_project_id": made.id, "target_issue_iid": 2})
    refused(409, again, "Issue(s) already assigned")
    linked = issue.links.list()
    equal([(one.iid, one.link_type) for one in linked], [(2, "blocks")])
    equal([one.link_type for one in project("planner").issues.get(2).links.list()], ["is_blocked_by"])
    equal(project("planner").issues.get(1).blocking_issues_count, 1)
    linked[0].delete()
    equal(issue.links.list(), [])


@step
def subscriptions_and_todos():
    issue = project("stranger").issues.get(1)
    equal(issue.subscribed, False)
    issue.subscribe()
    equal(project("stranger").issues.get(1).subscribed, True)
    issue.unsubscribe()
    refused(304, issue.unsubscribe)
    issue.todo()
    refused(304, issue.todo)
    [todo] = clients["stranger"].todos.list()
    equal([todo.action_name, todo.target_type, todo.target["iid"], todo.state], ["marked", "Issue", 1, "pending"])
    todo.mark_as_done()
    equal(clients["stranger"].todos.list(), [])
    equal([one.action_name for one in clients["guest"].todos.list()], ["assigned"])
    mentioned = [one.action_name for one in clients["planner"].todos.list()]
    assert "mentioned" in mentioned or "directly_addressed" in mentioned, mentioned
    clients["planner"].todos.mark_all_as_done()
    equal(clients["planner"].todos.list(), [])


@step
def issues_are_closed_and_counted():
    issue = project("maintainer").issues.get(1)
    issue.state_event = "close"
    issue.save()
    equal([issue.state, issue.attributes["closed_by"]["username"]], ["closed", people["maintainer"].username])
    assert issue.closed_at
    counts = {"all": 2, "closed": 1, "opened": 1}
    equal(project("guest").issues_statistics.get().statistics["counts"], counts)
    equal(group("guest").issues_statistics.get().statistics["counts"], counts)
    has(clients["guest"].issues_statistics.get().statistics["counts"], "all", "closed", "opened")
    project("maintainer").issues.update(1, {"state_event": "reopen"})
    reopened = project("guest").issues.get(1)
    equal([reopened.closed_at, reopened.attributes["closed_by"]], [None, None])


@step
def issues_are_moved():
    issue = project("maintainer").issues.get(2)
    issue.move(second.id)
    equal(issue.attributes["project_id"], second.id)
    old = project("maintainer").issues.get(2)
    equal([old.state, old.moved_to_id], ["closed", issue.id])
    original = project("maintainer").issues.get(1)
    refused(400, lambda: original.move(made.id), "Cannot move issue to project it originates from!")
    copy = clients["maintainer"].http_post(
        f"/projects/{made.id}/issues/1/clone", post_data={"to_project_id": second.id, "with_notes": True})
    equal([copy["title"], copy["state"], copy["project_id"]], ["A", "opened", second.id])


@step
def issues_are_deleted():
    refused(403, lambda: project("developer").issues.delete(1))
    project("owner").issues.delete(1)
    refused(404, lambda: project("owner").issues.delete(1), "404 Issue Not Found")
    equal(project("developer").issues.create({"title": "D"}).iid, 3)


# Contract 17


@step
def labels():
    of = project("planner")
    for name in ("bug", "ui"):
        of.labels.delete(name)
    label = of.labels.create({"name": "bug", "color": "#ff0000", "priority": 1})
    equal([label.priority, label.is_project_label], [1, True])
    refused(409, lambda: of.labels.create({"name": "bug", "color": "#ff0000"}), "Label already exists")
    equal(of.labels.create({"name": "r", "color": "red"}).color, "#FF0000")
    refused(400, lambda: of.labels.create({"name": "f", "color": "foo"}))
    refused(400, lambda: of.labels.create({"name": "a,b", "color": "red"}), {"title": ["is invalid"]})
    of.labels.delete("r")
    group("planner").labels.create({"name": "ui", "color": "#00ff00"})
    equal([one.name for one in of.labels.list()], ["bug", "ui"])
    equal([one.name for one in of.labels.list(include_ancestor_groups=False)], ["bug"])
    counted = of.labels.list(with_counts=True)[0]
    has(counted, "open_issues_count", "closed_issues_count", "open_merge_requests_count")


@step
def labels_of_issues():
    of = project("planner")
    issue = of.issues.create({"title": "both", "labels": ["bug", "ui"]})
    equal(iids(of, order_by="label_priority", sort="asc")[0], issue.iid)
    equal([one["name"] for one in of.issues.list(with_labels_details=True)[0].labels], ["bug", "ui"])
    label = of.labels.get("bug")
    of.labels.update("bug", {"new_name": "defect"})
    equal(of.issues.get(issue.iid).labels, ["defect", "ui"])
    refused(400, lambda: of.manager.gitlab.http_put(f"/projects/{made.id}/labels/defect"))
    label = of.labels.get("defect")
    label.promote()
    equal([one.name for one in group("planner").labels.list()], ["defect", "ui"])
    single = alone.labels.create({"name": "x", "color": "red"})
    refused(400, lambda: single.promote(), "Failed to promote project label to group label")
    group("planner").labels.delete("defect")
    equal(of.issues.get(issue.iid).labels, ["ui"])
    equal(events(of.issues.get(issue.iid)), [(None, "add"), ("ui", "add")])
    refused(404, lambda: group("planner").labels.delete("defect"), "404 Label Not Found")


@step
def milestones():
    of = project("planner")
    milestone = of.milestones.create({"title": "v1", "start_date": day(-1), "due_date": day(7)})
    equal([milestone.state, milestone.expired], ["active", False])
    wrong = {"title": "v0", "start_date": day(7), "due_date": day(1)}
    error = refused(400, lambda: of.milestones.create(wrong))
    assert "must be greater than start date" in error.error_message, error.error_message
    refused(400, lambda: of.milestones.create({"title": "v1"}))
    issue = of.issues.create({"title": "planned", "milestone_id": milestone.id})
    found = lambda: [iids(of, milestone_id=one) for one in ("Any", "Started", "Upcoming")]
    equal([iids(of, milestone="v1"), *found()], [[issue.iid]] * 4)
    equal([one.iid for one in milestone.issues()], [issue.iid])
    equal(list(milestone.merge_requests()), [])
    milestone.state_event = "close"
    milestone.save()
    equal([iids(of, milestone="v1"), *found()], [[issue.iid], [issue.iid], [], []])
    milestone.delete()
    equal(of.issues.get(issue.iid).milestone, None)


@step
def iterations():
    of = project("planner")
    data = {"start_date": day(-1), "due_date": day(5)}
    path = f"/groups/{home.id}/iterations"
    iteration = clients["planner"].http_post(path, post_data=data)
    equal([iteration["state"], iteration["sequence"]], [2, 1])
    refused(400, lambda: clients["planner"].http_post(path, post_data=data))
    issue = of.issues.list(search="planned")[0]
    of.issues.update(issue.iid, {"iteration_id": iteration["id"]})
    equal(of.issues.get(issue.iid).iteration["id"], iteration["id"])
    equal([one.id for one in of.iterations.list(state="current")], [iteration["id"]])
    equal([one.id for one in group("guest").iterations.list()], [iteration["id"]])
    equal([one.action for one in of.issues.get(issue.iid).resource_iteration_events.list()], ["add"])
    equal(iids(of, iteration_id="Current"), [issue.iid])


@step
def epics():
    of = group("planner")
    epic = of.epics.create({"title": "E", "labels": ["ui"]})
    equal([epic.iid, epic.labels], [1, ["ui"]])
    issue = project("planner").issues.list(search="planned")[0]
    epic.issues.create({"issue_id": issue.id})
    shown = project("planner").issues.get(issue.iid)
    equal([shown.epic["iid"], shown.epic_iid], [1, 1])
    equal(iids(project("guest"), epic_id=epic.id), [issue.iid])
    listed = epic.issues.list()
    equal([one.id for one in listed], [issue.id])
    refused(409, lambda: epic.issues.create({"issue_id": issue.id}), "Issue(s) already assigned")
    epic.title = "F"
    epic.state_event = "close"
    epic.save()
    equal([(one.title, one.state) for one in of.epics.list(search="f")], [("F", "closed")])
    equal([one.action for one in epic.resourcelabelevents.list()], ["add"])
    listed[0].delete()
    equal(epic.issues.list(), [])
    epic.issues.create({"issue_id": issue.id})
    refused(403, lambda: group("guest").epics.delete(1))
    group("owner").epics.delete(1)
    equal(project("planner").issues.get(issue.iid).epic, None)


@step
def planning_is_refused_to_guests():
    of = project("guest")
    refused(403, lambda: of.labels.create({"name": "g", "color": "red"}))
    refused(403, lambda: of.milestones.create({"title": "g"}))
    refused(403, lambda: group("guest").epics.create({"title": "g"}))
    refused(401, lambda: anonymous.projects.get(made.id).labels.list())


# Contract 18


@step
def label_events():
    of = project("planner")
    milestones = [of.milestones.create({"title": one}) for one in ("m1", "m2")]
    data = {"title": "told", "labels": ["a", "b"], "milestone_id": milestones[0].id, "weight": 2}
    issue = of.issues.create(data)
    state.update(iid=issue.iid, other=milestones[1].id)
    first = issue.resourcelabelevents.list()
    equal([(one.action, one.resource_type, one.resource_id) for one in first], [("add", "Issue", issue.id)] * 2)
    equal(first[0].created_at, first[1].created_at)
    assert first[0].id < first[1].id
    for _ in range(2):
        of.issues.update(issue.iid, {"labels": ["b", "c"]})
        equal(events(issue), [("a", "add"), ("b", "add"), ("c", "add"), ("a", "remove")])
    pages = issue.resourcelabelevents.list(per_page=2, iterator=True)
    equal((pages.total, pages.total_pages), (4, 2))
    second_page = issue.resourcelabelevents.list(per_page=2, page=2)
    equal([(one.label["name"], one.action) for one in second_page], [("c", "add"), ("a", "remove")])
    equal(issue.resourcelabelevents.get(first[0].id).attributes, first[0].attributes)
    elsewhere = of.issues.list(search="both")[0]
    refused(404, lambda: elsewhere.resourcelabelevents.get(first[0].id), "404 Not found")
    of.labels.delete("c")
    equal(events(issue), [("a", "add"), ("b", "add"), (None, "add"), ("a", "remove")])


@step
def other_events():
    of = project("planner")
    for change in ({"milestone_id": state["other"]}, {"milestone_id": 0}, {"weight": 5}, {"weight": ""}):
        of.issues.update(state["iid"], change)
    issue = of.issues.get(state["iid"])
    told = [(one.action, one.milestone["title"]) for one in issue.resourcemilestoneevents.list()]
    equal(told, [("add", "m1"), ("add", "m2"), ("remove", "m2")])
    weights = [(one.weight, one.issue_id) for one in issue.resource_weight_events.list()]
    equal(weights, [(2, issue.id), (5, issue.id), (None, issue.id)])
    for event in ("close", "reopen"):
        of.issues.update(issue.iid, {"state_event": event})
    equal([one.state for one in issue.resourcestateevents.list()], ["closed", "reopened"])
    one = issue.resourcestateevents.list()[0]
    equal(issue.resourcestateevents.get(one.id).attributes, one.attributes)


@step
def issues_are_closed_by_pushes():
    folder, work = cloned(made, clients["maintainer"])
    with folder:
        git(work, "commit", "--quiet", "--allow-empty", "-m", f"Fixes #{state['iid']}")
        git(work, "push", "--quiet", "origin", "HEAD")
        head = git(work, "rev-parse", "HEAD")
    closed = lambda: project("guest").issues.get(state["iid"]).state == "closed"
    eventually(closed, "the closing of the issue")
    last = project("guest").issues.get(state["iid"]).resourcestateevents.list()[-1]
    equal([last.state, last.source_commit, last.user["username"]], ["closed", head, people["maintainer"].username])


@step
def events_of_epics():
    epic = group("planner").epics.create({"title": "events"})
    group("planner").epics.update(epic.iid, {"add_labels": "ui"})
    told = epic.resourcelabelevents.list()
    equal([(one.action, one.resource_type, one.resource_id) for one in told], [("add", "Epic", epic.id)])
    equal(epic.resourcelabelevents.get(told[0].id).label["name"], "ui")


@step
def events_are_read_by_those_who_read_the_issue():
    refused(401, lambda: anonymous.projects.get(made.id).issues.get(state["iid"]).resourcelabelevents.list())
    equal(len(project("stranger").issues.get(state["iid"]).resourcelabelevents.list()), 4)
    hidden = clients["stranger"].projects.get(second.id, lazy=True).issues.get(1, lazy=True)
    refused(404, lambda: hidden.resourcelabelevents.list(), "404 Project Not Found")
    secret = project("planner").issues.create({"title": "secret", "confidential": True})
    unseen = project("guest").issues.get(secret.iid, lazy=True)
    refused(404, lambda: unseen.resourcelabelevents.list())


walk()
