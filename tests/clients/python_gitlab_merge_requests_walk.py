"""The acceptance walk of merge requests (contract 19), and their resource events (18), with python-gitlab, unchanged. The
branches are pushed by git.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_merge_requests_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import gitlab
from walking import add, anonymous, as_user, cloned, equal, eventually, git, has, mark, person, refused, step, walk
from walking import api as root

roles = {"owner": 50, "maintainer": 40, "developer": 30, "other": 30, "reporter": 20}
people = {name: person(name) for name in roles}
clients = {name: as_user(user) for name, user in people.items()}
made = root.projects.create({"name": f"merges{mark}", "remove_source_branch_after_merge": False})
for name, level in roles.items():
    made.members.create({"user_id": people[name].id, "access_level": level})
add(made, "line.txt", "one\n")
folder, work = cloned(made, clients["maintainer"])
state = {}


def project(role):
    return clients[role].projects.get(made.id)


def read(iid, role="developer", **options):
    return project(role).mergerequests.get(iid, **options)


def push(branch, path, content, start="origin/main"):
    """Pushes a commit on a new branch, or on the branch as it is here."""
    git(work, "fetch", "--quiet", "--prune")
    if start:
        git(work, "checkout", "--quiet", "-B", branch, start, "--no-track")
    with open(os.path.join(work, path), "w") as file:
        file.write(content)
    git(work, "add", "-A")
    git(work, "commit", "--quiet", "-m", f"Change {path} in {branch}")
    git(work, "push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")
    return git(work, "rev-parse", "HEAD")


def proposed(branch, role="developer", **more):
    data = {"source_branch": branch, "target_branch": "main", "title": branch}
    return project(role).mergerequests.create({**data, **more})


def status_of(iid, expected):
    found = lambda: read(iid).detailed_merge_status == expected
    eventually(found, f"{expected} instead of {read(iid).detailed_merge_status}")


@step
def merge_requests_are_created():
    project("developer").issues.create({"title": "to close"})
    push("f", "a.txt", "a\n")
    request = proposed("f", title="Draft: x", description="Closes #1")
    equal([request.iid, request.draft, request.state], [1, True, "opened"])
    shown = read(1)
    equal([shown.detailed_merge_status, shown.changes_count], ["draft_status", "1"])
    assert "refs/merge-requests/1/head" in git(work, "ls-remote", "origin")
    equal([one.title for one in request.commits()], ["Change a.txt in f"])
    equal([one["new_path"] for one in request.changes()["changes"]], ["a.txt"])
    equal([one.head_commit_sha for one in request.diffs.list()], [shown.sha])


@step
def merge_requests_are_refused():
    taken = refused(409, lambda: proposed("f"))
    assert "!1" in taken.error_message[0], taken.error_message
    refused(422, lambda: proposed("main"), ["You can't use same project/branch for source and target"])
    refused(400, lambda: proposed("f", title=""))
    refused(400, lambda: proposed("nope"), {"source_branch": ["does not exist"]})
    refused(403, lambda: proposed("f", "reporter"))


@step
def issues_are_named():
    equal([one.iid for one in read(1).closes_issues()], [1])
    issue = project("developer").issues.get(1)
    equal(issue.merge_requests_count, 1)
    equal([one["iid"] for one in issue.closed_by()], [1])
    equal([one["iid"] for one in issue.related_merge_requests()], [1])


@step
def drafts_are_not_merged():
    request = read(1, "maintainer")
    refused(405, request.merge)
    request.title = "x"
    request.save()
    equal(request.draft, False)
    status_of(1, "mergeable")
    error = refused(409, lambda: request.merge(sha="0" * 40))
    equal(error.error_message, f"SHA does not match HEAD of source branch: {request.sha}")


@step
def merges_need_the_right_to_merge():
    made.protectedbranches.delete("main")
    made.protectedbranches.create({"name": "main", "merge_access_level": 40, "push_access_level": 40})
    refused(401, read(1).merge)
    merged = read(1, "maintainer")
    merged.merge()
    equal([merged.state, merged.merge_user["username"]], ["merged", people["maintainer"].username])
    commit = made.commits.get(merged.merge_commit_sha)
    equal(len(commit.parent_ids), 2)
    assert commit.message.startswith("Merge branch 'f' into 'main'"), commit.message
    equal(made.branches.get("main").commit["id"], merged.merge_commit_sha)


@step
def merges_close_issues():
    eventually(lambda: project("developer").issues.get(1).state == "closed", "the closing of the issue")
    issue = project("developer").issues.get(1)
    equal(issue.attributes["closed_by"]["username"], people["maintainer"].username)
    [event] = issue.resourcestateevents.list()
    equal([event.state, event.source_merge_request_id], ["closed", read(1).id])
    equal([one.state for one in read(1).resourcestateevents.list()], ["merged"])
    equal(made.branches.get("f").merged, True)


@step
def merged_is_final():
    refused(405, read(1, "maintainer").merge)
    project("developer").mergerequests.update(1, {"state_event": "reopen"})
    equal(read(1).state, "merged")


@step
def conflicts():
    push("left", "line.txt", "left\n")
    push("right", "line.txt", "right\n")
    left, right = proposed("left").iid, proposed("right").iid
    state.update(right=right)
    status_of(left, "mergeable")
    read(left, "maintainer").merge()
    status_of(right, "conflict")
    shown = read(right)
    equal([shown.has_conflicts, shown.merge_status], [True, "cannot_be_merged"])
    before = made.branches.get("main").commit["id"]
    refused(422, read(right, "maintainer").merge, "Branch cannot be merged")
    equal(made.branches.get("main").commit["id"], before)


@step
def resolved_conflicts_are_squashed():
    git(work, "fetch", "--quiet")
    git(work, "checkout", "--quiet", "right")
    git(work, "merge", "--quiet", "-s", "ours", "-m", "Resolve", "origin/main")
    git(work, "push", "--quiet", "origin", "right")
    status_of(state["right"], "mergeable")
    equal(len(read(state["right"]).diffs.list()), 2)
    before = made.branches.get("main").commit["id"]
    merged = read(state["right"], "maintainer")
    merged.merge(squash=True)
    assert merged.squash_commit_sha
    equal(made.commits.get(merged.merge_commit_sha).parent_ids, [before, merged.squash_commit_sha])


@step
def fast_forwards():
    push("slow", "slow.txt", "slow\n")
    push("ahead", "ahead.txt", "ahead\n")
    iid, ahead = proposed("slow").iid, proposed("ahead").iid
    status_of(ahead, "mergeable")
    read(ahead, "maintainer").merge()
    made.merge_method = "ff"
    made.save()
    status_of(iid, "need_rebase")
    equal(read(iid).rebase(), {"rebase_in_progress": True})
    done = lambda: not read(iid, include_rebase_in_progress=True).rebase_in_progress
    eventually(done, "the end of the rebase")
    equal(read(iid).merge_error, None)
    status_of(iid, "mergeable")
    merged = read(iid, "maintainer")
    merged.merge()
    equal([merged.merge_commit_sha, made.branches.get("main").commit["id"]], [None, made.branches.get("slow").commit["id"]])
    made.merge_method = "merge"
    made.save()


@step
def events():
    push("events", "events.txt", "e\n")
    milestone = made.milestones.create({"title": "m"})
    request = proposed("events")
    state.update(events=request.iid)
    project("developer").mergerequests.update(request.iid, {"labels": "a,b", "milestone_id": milestone.id})
    request = read(request.iid)
    equal([(one.label["name"], one.action) for one in request.resourcelabelevents.list()], [("a", "add"), ("b", "add")])
    equal([one.action for one in request.resourcemilestoneevents.list()], ["add"])
    equal([one.iid for one in milestone.merge_requests()], [request.iid])
    found = project("developer").mergerequests.list(labels=["a"], state="opened", milestone="m")
    equal([one.iid for one in found], [request.iid])
    refused(401, lambda: anonymous.projects.get(made.id, lazy=True).mergerequests.get(1, lazy=True).resourcelabelevents.list())


@step
def approvals():
    iid = state["events"]
    rule = made.approvalrules.create({"name": "one", "approvals_required": 1, "rule_type": "any_approver"})
    status_of(iid, "not_approved")
    refused(405, read(iid, "maintainer").merge)
    refused(401, read(iid).approve)
    reviewer = read(iid, "other")
    reviewer.approve(sha=reviewer.sha)
    shown = reviewer.approvals.get()
    equal([shown.approved, shown.approvals_left], [True, 0])
    equal([one["user"]["username"] for one in shown.approved_by], [people["other"].username])
    push("events", "more.txt", "more\n", start="origin/events")
    eventually(lambda: not read(iid, "other").approvals.get().approved, "the reset of the approvals")
    read(iid, "other").approve()
    read(iid, "other").unapprove()
    read(iid, "other").approve()
    status_of(iid, "mergeable")
    read(iid, "maintainer").merge()
    equal(read(iid).state, "merged")
    rule.delete()


@step
def merges_on_the_command_line():
    push("g", "g.txt", "g\n")
    iid = proposed("g").iid
    git(work, "checkout", "--quiet", "-B", "main", "origin/main")
    git(work, "merge", "--quiet", "--no-ff", "-m", "By hand", "g")
    git(work, "push", "--quiet", "origin", "main")
    eventually(lambda: read(iid).state == "merged", "the merge")
    equal(read(iid).merge_user["username"], people["maintainer"].username)


@step
def threads():
    push("t", "t.txt", "first\nsecond\n")
    request = proposed("t")
    state.update(threads=request.iid)
    refs = read(request.iid).diff_refs
    position = {**refs, "position_type": "text", "new_path": "t.txt", "old_path": "t.txt", "new_line": 2}
    thread = request.discussions.create({"body": "why?", "position": position})
    note = thread.attributes["notes"][0]
    equal([note["type"], note["resolvable"], note["position"]["new_line"]], ["DiffNote", True, 2])
    wrong = {"body": "where?", "position": {**position, "new_line": 99}}
    refused(400, lambda: request.discussions.create(wrong))
    made.only_allow_merge_if_all_discussions_are_resolved = True
    made.save()
    status_of(request.iid, "discussions_not_resolved")
    thread.notes.create({"body": "because"})
    thread = request.discussions.get(thread.id)
    thread.resolved = True
    thread.save()
    status_of(request.iid, "mergeable")
    plain = request.notes.create({"body": "plain"})
    plain.body = "changed"
    plain.save()
    request.awardemojis.create({"name": "rocket"})
    equal(request.time_estimate("1d")["human_time_estimate"], "1d")
    has(read(request.iid), "subscribed", "user", "head_pipeline", "diff_refs", "first_contribution", "references")


@step
def parallel_merges():
    def attempt(_):
        try:
            request.merge()
            return 200
        except gitlab.exceptions.GitlabError as error:
            return error.response_code

    request = read(state["threads"], "maintainer")
    with ThreadPoolExecutor(2) as pool:
        answers = sorted(pool.map(attempt, range(2)))
    equal(answers[0], 200)
    assert answers[1] in (405, 409, 422), answers
    refused(404, lambda: anonymous.projects.get(made.id, lazy=True).mergerequests.get(1), "404 Project Not Found")


@step
def merge_requests_are_closed_and_deleted():
    push("d", "d.txt", "d\n")
    request = proposed("d")
    for event, expected in (("close", "closed"), ("reopen", "opened")):
        request.state_event = event
        request.save()
        equal(request.state, expected)
    refused(403, request.delete)
    read(request.iid, "owner").delete()
    refused(404, lambda: read(request.iid))
    mine = clients["developer"].mergerequests.list(state="merged", get_all=True)
    assert state["threads"] in [one.iid for one in mine]


walk()
