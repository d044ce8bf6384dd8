"""The acceptance walk of labels, milestones and iterations (contract 17) with python-gitlab, unchanged.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_planning_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails.
"""

from datetime import date, timedelta

from walking import as_user, equal, has, mark, person, refused, step, walk
from walking import api as root

planner_user = person("planner")
planner = as_user(planner_user)
home = root.groups.create({"name": f"plan{mark}", "path": f"plan{mark}"})
home.members.create({"user_id": planner_user.id, "access_level": 15})
made = root.projects.create({"name": "p", "namespace_id": home.id})
project = planner.projects.get(made.id)
group = planner.groups.get(home.id)


def day(distance):
    return (date.today() + timedelta(days=distance)).isoformat()


@step
def labels_of_a_project():
    label = project.labels.create({"name": "bug", "color": "red", "priority": 1})
    equal([label.color, label.priority, label.is_project_label], ["#FF0000", 1, True])
    refused(409, lambda: project.labels.create({"name": "bug", "color": "red"}), "Label already exists")
    label.color = "#00ff00"
    label.save()
    equal(project.labels.get("bug").color, "#00ff00")
    project.labels.update("bug", {"new_name": "a/b"})
    label = project.labels.get("a/b")
    label.subscribe()
    equal(project.labels.get("a/b").subscribed, True)
    label.unsubscribe()
    equal([one.name for one in project.labels.list(with_counts=True)], ["a/b"])
    has(project.labels.list(with_counts=True)[0], "open_issues_count", "description_html", "text_color")
    label.promote()
    equal([one.name for one in group.labels.list()], ["a/b"])


@step
def labels_of_a_group():
    label = group.labels.get("a/b")
    label.description = "of the group"
    label.save()
    equal(project.labels.get("a/b").description, "of the group")
    label.delete()
    equal(group.labels.list(), [])
    refused(404, lambda: group.labels.get("a/b"))


@step
def milestones():
    milestone = project.milestones.create({"title": "v1", "start_date": day(-1), "due_date": day(7)})
    equal([milestone.state, milestone.expired], ["active", False])
    refused(400, lambda: project.milestones.create({"title": "v1"}))
    milestone.title = "v2"
    milestone.state_event = "close"
    milestone.save()
    equal([one.title for one in project.milestones.list(state="closed")], ["v2"])
    milestone.promote()
    promoted = group.milestones.get(milestone.id)
    equal([promoted.title, promoted.group_id], ["v2", group.id])
    promoted.delete()
    equal(group.milestones.list(), [])


@step
def iterations():
    data = {"start_date": day(0), "due_date": day(6)}
    planner.http_post(f"/groups/{group.id}/iterations", post_data=data)
    equal([one.state for one in group.iterations.list(state="current")], [2])
    equal([one.sequence for one in project.iterations.list(in_=["title"])], [1])
    equal(project.iterations.list(state="closed"), [])


walk()
