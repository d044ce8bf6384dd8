"""The acceptance walk of delivery (contract 24, steps 3, 6 to 8, 10 to 15) with python-gitlab, unchanged: feature flags, the scope of
job tokens, templates, resource groups, secure files, freeze periods. The jobs are run by hand with the runner's protocol.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_delivery_rules_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails.
"""

import hashlib
from datetime import datetime, timedelta, timezone

import gitlab
from walking import add, anonymous, api, as_user, equal, eventually, has, mark, person, refused, step, url, walk

CONFIG = """
deploy:
  script: x
  resource_group: r
  environment: {name: staging, url: "http://s.test", on_stop: halt, auto_stop_in: 1 day}
halt:
  script: x
  when: manual
  environment: {name: staging, action: stop}
"""

group = api.groups.create({"name": f"rules {mark}", "path": f"rules{mark}"})
project = api.projects.create({"name": "p", "namespace_id": group.id})
other = api.projects.create({"name": "q", "namespace_id": group.id})
add(project, ".gitlab-ci.yml", CONFIG, commit_message="one [skip ci]")
people = {name: person(name) for name in ("main", "dev", "stranger")}
for name, level in (("main", 40), ("dev", 30)):
    project.members.create({"user_id": people[name].id, "access_level": level})
    other.members.create({"user_id": people[name].id, "access_level": level})
clients = {name: as_user(user) for name, user in people.items()}
kept, theirs = (clients[name].projects.get(project.id) for name in ("main", "dev"))
made = api.http_post("/user/runners", post_data={"runner_type": "project_type", "project_id": project.id})
runner = made["token"]
runs = gitlab.Gitlab(url)


def take(name):
    """The next job as a runner gets it, which has to be this one."""
    job = requested(runner, name)
    equal(job["job_info"]["name"], name)
    return job


def requested(secret, name):
    def ask():
        answer = runs.http_post("/jobs/request", post_data={"token": secret})
        return answer if isinstance(answer, dict) else None

    return eventually(ask, f"the job {name}")


def end(job):
    runs.http_put(f"/jobs/{job['id']}", post_data={"token": job["token"], "state": "success"})


def days_ago(days):
    return (datetime.now(timezone.utc) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


@step
def an_environment_that_a_job_stops():
    kept.pipelines.create({"ref": "main"})
    end(take("deploy"))
    [staging] = eventually(lambda: theirs.environments.list(name="staging", get_all=True), "the environment")
    shown = eventually(lambda: deployed(staging.id), "the deployment")
    equal((shown.last_deployment["status"], shown.external_url), ("success", "http://s.test"))
    assert shown.auto_stop_at is not None
    shown.stop()
    equal(theirs.environments.get(staging.id).state, "stopping")
    end(take("halt"))
    eventually(lambda: theirs.environments.get(staging.id).state == "stopped", "the end of the environment")


def deployed(environment_id):
    """The environment when its job has succeeded; its address and its stop follow in the background."""
    shown = theirs.environments.get(environment_id)
    has_ended = (shown.last_deployment or {}).get("status") == "success"
    return shown if has_ended and shown.external_url and shown.auto_stop_at else None


@step
def environments_at_once():
    address = f"/projects/{project.id}/environments"
    stale = lambda before: clients["main"].http_post(f"{address}/stop_stale", post_data={"before": before})
    refused(400, lambda: stale(days_ago(1)), "400 Bad request - Invalid Date")
    has(stale(days_ago(10)), "message")
    refused(400, lambda: clients["dev"].http_delete(f"{address}/review_apps"))


@step
def feature_flags():
    strategy = {"name": "userWithId", "parameters": {"userIds": "a,b"}, "scopes": [{"environment_scope": "production"}]}
    flag = theirs.feature_flags.create({"name": "f1", "version": "new_version_flag", "strategies": [strategy]})
    equal((flag.name, flag.active, len(flag.strategies)), ("f1", True, 1))
    refused(400, lambda: theirs.feature_flags.create({"name": "F1", "version": "new_version_flag"}))
    refused(400, lambda: theirs.feature_flags.create({"name": "f2", "version": "x"}))
    wrong = {"name": "gradualRolloutUserId", "parameters": {"bad": "1"}}
    refused(400, lambda: theirs.feature_flags.create({"name": "f2", "version": "new_version_flag", "strategies": [wrong]}))
    equal([one.name for one in theirs.feature_flags.list(get_all=True)], ["f1"])
    read = theirs.feature_flags.get("f1")
    read.strategies = [{**read.strategies[0], "_destroy": True}]
    read.save()
    equal(theirs.feature_flags.get("f1").strategies, [])
    read.name = "renamed"
    read.save()
    refused(404, lambda: theirs.feature_flags.get("f1"))
    theirs.feature_flags.delete("renamed")
    equal(theirs.feature_flags.list(get_all=True), [])


@step
def lists_of_users():
    lists = theirs.feature_flags_user_lists
    made = lists.create({"name": "l", "user_xids": "a,b"})
    equal(made.user_xids, "a,b")
    refused(400, lambda: lists.create({"name": "m", "user_xids": "a,,b"}))
    made.user_xids = "a,c"
    made.save()
    equal(lists.get(made.iid).user_xids, "a,c")
    used = {"name": "gitlabUserList", "parameters": {}, "user_list_id": made.id, "scopes": [{"environment_scope": "*"}]}
    theirs.feature_flags.create({"name": "listed", "version": "new_version_flag", "strategies": [used]})
    refused(409, lambda: lists.delete(made.iid))
    theirs.feature_flags.delete("listed")
    lists.delete(made.iid)
    equal(lists.list(get_all=True), [])


@step
def the_scope_of_job_tokens():
    scope = kept.job_token_scope.get()
    equal(scope.inbound_enabled, True)
    entry = scope.allowlist.create({"target_project_id": other.id})
    equal((entry.source_project_id, entry.target_project_id), (project.id, other.id))
    refused(400, lambda: scope.allowlist.create({"target_project_id": other.id}))
    refused(404, lambda: scope.allowlist.create({"target_project_id": 999_999_999}))
    equal(sorted(one.id for one in scope.allowlist.list(get_all=True)), sorted([project.id, other.id]))
    scope.allowlist.delete(other.id)
    groups = project.job_token_scope.get().groups_allowlist
    groups.create({"target_group_id": group.id})
    equal([one.id for one in groups.list(get_all=True)], [group.id])
    groups.delete(group.id)
    equal(groups.list(get_all=True), [])


@step
def job_tokens_of_other_projects():
    scope = kept.job_token_scope.get()
    add(other, ".gitlab-ci.yml", "build: {script: x}", commit_message="two [skip ci]")
    as_maintainer = clients["main"].projects.get(other.id)
    shared = api.http_post("/user/runners", post_data={"runner_type": "project_type", "project_id": other.id})
    as_maintainer.pipelines.create({"ref": "main"})
    job = requested(shared["token"], "build")
    by_job = gitlab.Gitlab(url, job_token=job["token"])
    address = f"/projects/{project.id}/environments"
    refused(403, lambda: by_job.http_list(address, get_all=True))
    scope.allowlist.create({"target_project_id": other.id})
    equal([one["name"] for one in by_job.http_list(address, get_all=True)], ["staging"])
    end(job)
    refused(401, lambda: by_job.http_list(address, get_all=True))


@step
def templates():
    assert len(anonymous.gitlabciymls.list(get_all=True)) > 20
    licence = anonymous.http_get("/templates/licenses/bsd-2-clause", query_data={"project": "a", "fullname": "b"})
    assert "b" in licence["content"] and str(datetime.now(timezone.utc).year) in licence["content"]
    refused(404, lambda: anonymous.licenses.get("x"))
    add(project, ".gitlab/issue_templates/Bug.md", "What", commit_message="Template [skip ci]")
    equal([one.name for one in theirs.issue_templates.list(get_all=True)], ["Bug"])


@step
def resource_groups():
    kept.pipelines.create({"ref": "main"})
    kept.pipelines.create({"ref": "main"})
    job = take("deploy")
    [found] = theirs.resource_groups.list(get_all=True)
    equal((found.key, found.process_mode), ("r", "unordered"))
    waiting = eventually(lambda: found.upcoming_jobs.list(get_all=True), "the job that waits")
    equal([one.status for one in waiting], ["waiting_for_resource"])
    found.process_mode = "oldest_first"
    found.save()
    equal(theirs.resource_groups.get("r").process_mode, "oldest_first")
    found.process_mode = "x"
    refused(400, found.save)
    end(job)
    end(take("deploy"))


@step
def secure_files():
    content = b"x" * (5 * 1024 * 1024 - 1)
    made = kept.secure_files.create({"name": "key.p12", "file": content})
    equal((made.name, made.file_extension, made.checksum), ("key.p12", "p12", hashlib.sha256(content).hexdigest()))
    equal(theirs.secure_files.get(made.id).download(), content)
    refused(403, lambda: theirs.secure_files.create({"name": "other.p12", "file": content}))
    refused(413, lambda: kept.secure_files.create({"name": "large.p12", "file": content + b"x"}))
    equal([one.name for one in theirs.secure_files.list(get_all=True)], ["key.p12"])
    kept.secure_files.delete(made.id)
    equal(kept.secure_files.list(get_all=True), [])


@step
def freeze_periods():
    address = f"/projects/{project.id}/freeze_periods"
    maintainer = clients["main"]
    made = maintainer.http_post(address, post_data={"freeze_start": "0 0 * * *", "freeze_end": "0 1 * * *"})
    has(made, "id", "freeze_start", "freeze_end", "cron_timezone", "created_at", "updated_at")
    refused(400, lambda: maintainer.http_post(address, post_data={"freeze_start": "61 * * * *", "freeze_end": "0 1 * * *"}))
    equal(len(maintainer.http_list(address, get_all=True)), 1)
    maintainer.http_delete(f"{address}/{made['id']}")


walk()
