"""The acceptance walks of CI/CD (contract 03 variables, 04 schedules and pipelines, 05 features, 06 broadcast messages),
with python-gitlab, unchanged. The jobs are run by hand with the runner's protocol.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_ci_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails.
"""

import io
import json
import urllib.error
import urllib.request
import zipfile

from walking import anonymous, api, as_user, equal, eventually, has, mark, person, refused, step, url, walk

CONFIG = """
build:
  stage: build
  script: [echo built]
  artifacts: {paths: [out]}
test:
  script: [echo tested]
deploy:
  stage: deploy
  script: [echo deployed]
  environment: prod/eu
"""

group = api.groups.create({"name": f"ci {mark}", "path": f"ci{mark}"})
project = api.projects.create({"name": "p", "namespace_id": group.id})
project.commits.create({
    "branch": "main",
    "commit_message": "one",
    "actions": [{"action": "create", "file_path": ".gitlab-ci.yml", "content": CONFIG}],
})
developer, maintainer = person("dev"), person("maint")
project.members.create({"user_id": developer.id, "access_level": 30})
project.members.create({"user_id": maintainer.id, "access_level": 40})
kept = as_user(maintainer).projects.get(project.id)
theirs = as_user(developer).projects.get(project.id)
state = {}


def call(method, path, body=None, headers=None, data=None):
    """A request outside of the client: status, headers, body."""
    sent = {"Content-Type": "application/json"} if body is not None else {}
    request = urllib.request.Request(
        f"{url}/api/v4{path}",
        method=method,
        headers={**sent, **(headers or {})},
        data=data if data is not None else json.dumps(body).encode() if body is not None else None,
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


@step
def group_variables():
    made = group.variables.create({"key": "A", "value": "1"})
    equal((made.environment_scope, made.hidden, made.description), ("*", False, None))
    refused(400, lambda: group.variables.create({"key": "A", "value": "1"}), {"key": ["(A) has already been taken"]})
    group.variables.create({"key": "A", "value": "3", "environment_scope": "prod/*"})
    several = "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'"
    refused(409, lambda: group.variables.get("A"), several)
    equal(group.variables.get("A", filter={"environment_scope": "prod/*"}).value, "3")
    group.variables.update("A", {"value": "2", "filter": {"environment_scope": "*"}})
    equal(group.variables.get("A", filter={"environment_scope": "prod/*"}).value, "3")
    refused(400, lambda: group.variables.create({"key": "M", "value": "short", "masked": True}), {"value": ["is invalid"]})
    hidden = group.variables.create({"key": "H", "value": "topsecret1", "masked_and_hidden": True})
    equal((hidden.value, hidden.masked, hidden.hidden), (None, True, True))
    group.members.create({"user_id": maintainer.id, "access_level": 40})
    refused(403, lambda: as_user(maintainer).groups.get(group.id, lazy=True).variables.list())
    group.variables.delete("A", filter={"environment_scope": "*"})
    equal(group.variables.get("A").value, "3")


@step
def project_and_instance_variables():
    variable = kept.variables.create({"key": "B", "value": "project", "masked": False})
    variable.value = "changed"
    variable.save()
    equal(kept.variables.get("B").value, "changed")
    refused(403, lambda: theirs.variables.list())
    key = f"I{mark}"
    made = api.variables.create({"key": key, "value": "x" * 10_000})
    assert "hidden" not in made.attributes
    too_long = {"value": ["The value of the provided variable exceeds the 10000 character limit"]}
    refused(400, lambda: api.variables.create({"key": f"{key}2", "value": "x" * 10_001}), too_long)
    made.delete()
    refused(404, lambda: api.variables.get(key), "404 InstanceVariable Not Found")


@step
def features():
    name = f"feature_{mark}"
    equal(api.features.set(name, True).state, "on")
    equal(api.features.set(name, 30).state, "on")
    equal(api.features.set(name, False).state, "off")
    equal(api.features.set(name, True, user=developer.username).state, "conditional")
    assert name in [one.name for one in api.features.list(get_all=True)]
    api.features.delete(name)
    refused(403, lambda: as_user(developer).features.list())


@step
def broadcast_messages():
    made = api.broadcastmessages.create({"message": "Deploy"})
    equal((made.active, made.broadcast_type, made.theme, made.font), (True, "banner", "indigo", "#FFFFFF"))
    equal(anonymous.broadcastmessages.get(made.id).message, "Deploy")
    made.target_access_levels = [10, 15]
    made.save()
    equal(api.broadcastmessages.get(made.id).target_access_levels, [10, 15])
    refused(400, lambda: api.broadcastmessages.create({"message": "x", "theme": "pink"}))
    refused(403, lambda: as_user(developer).broadcastmessages.create({"message": "x"}))
    made.delete()
    refused(404, lambda: api.broadcastmessages.get(made.id), "404 Not found")


@step
def schedules():
    made = kept.pipelineschedules.create({
        "description": "n", "ref": "main", "cron": "0 1 * * 5", "cron_timezone": "Pacific Time (US & Canada)",
    })
    shown = made.attributes
    equal((shown["ref"], shown["last_pipeline"], shown["variables"]), ("refs/heads/main", None, []))
    refused(400, lambda: kept.pipelineschedules.create({"description": "n", "ref": "main", "cron": "0 0 31 2 *"}))
    made.variables.create({"key": "K", "value": "1"})
    refused(400, lambda: made.variables.create({"key": "K", "value": "1"}), {"key": ["has already been taken"]})
    made.cron = "@daily"
    made.save()
    owned = project.pipelineschedules.get(made.id)
    owned.take_ownership()
    owned.play()
    found = lambda: (owned.pipelines.list(get_all=True) or [None])[0]
    pipeline = eventually(found, "the pipeline")
    equal((pipeline.source, pipeline.ref), ("scheduled", "main"))
    detail = project.pipelines.get(pipeline.id)
    equal([(one.key, one.value) for one in detail.variables.list()], [("K", "1")])
    detail.cancel()
    project.pipelineschedules.delete(made.id)


@step
def lint():
    equal(project.ci_lint.create({"content": CONFIG}).valid, True)
    answer = project.ci_lint.create({"content": "a: {script: x, stage: none}"})
    equal(answer.valid, False)
    assert "chosen stage does not exist" in answer.errors[0]
    equal(project.ci_lint.get().valid, True)


@step
def pipeline():
    refused(400, lambda: project.pipelines.create({"ref": "nope"}), {"base": ["Reference not found"]})
    # The first commit has a pipeline of its own.
    pushed = eventually(lambda: project.pipelines.list(source="push", get_all=True), "the pipeline of the push")
    for one in pushed:
        one.cancel()
    made = project.pipelines.create({"ref": "main", "variables": [{"key": "V", "value": "given"}]})
    has(made, "id", "iid", "sha", "status", "source", "detailed_status", "user", "web_url", "before_sha")
    equal((made.source, made.ref), ("api", "main"))
    state["pipeline"] = made.id
    jobs = made.jobs.list(get_all=True)
    equal(sorted(job.name for job in jobs), ["build", "deploy", "test"])


@step
def runner():
    made = api.http_post("/user/runners", post_data={"runner_type": "project_type", "project_id": project.id})
    assert made["token"].startswith("glrt-")
    state["runner"] = made["token"]
    equal(call("POST", "/runners/verify", {"token": made["token"]})[0], 200)
    equal(call("POST", "/runners/verify", {"token": "wrong"})[0], 403)
    status, _, body = call("POST", "/jobs/request", {"token": made["token"], "info": {"features": {}}})
    equal(status, 201)
    job = json.loads(body)
    state["job"] = job
    equal(job["job_info"]["name"], "build")
    values = {one["key"]: one["value"] for one in job["variables"]}
    equal((values["B"], values["V"], values["CI_COMMIT_BRANCH"]), ("changed", "given", "main"))
    again, headers, _ = call("POST", "/jobs/request", {"token": made["token"]})
    equal(again, 204)
    assert headers["X-GitLab-Last-Update"]


@step
def trace_and_artifacts():
    job = state["job"]
    own = {"JOB-TOKEN": job["token"]}
    path = f"/jobs/{job['id']}"
    append = lambda: call("PATCH", f"{path}/trace", headers={**own, "Content-Range": "0-4"}, data=b"hello")
    status, headers, _ = append()
    equal((status, headers["Range"]), (202, "0-5"))
    status, headers, _ = append()
    equal((status, headers["Range"]), (416, "0-5"))
    equal(project.jobs.get(job["id"]).trace(), b"hello")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("out", "content")
    form = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"artifacts.zip\"\r\n\r\n" + \
        packed.getvalue() + b"\r\n--x--\r\n"
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    equal(call("POST", f"{path}/artifacts", headers={**own, **kind}, data=form)[0], 201)
    equal(call("PUT", path, {"token": job["token"], "state": "success"})[0], 200)
    equal(call("PUT", path, {"token": job["token"], "state": "success"})[0], 403)
    equal(project.jobs.get(job["id"]).artifact("out"), b"content")


@step
def finish():
    for name in ("test", "deploy"):
        request = lambda: call("POST", "/jobs/request", {"token": state["runner"]})
        taken = lambda: (lambda answer: answer if answer[0] == 201 else None)(request())
        status, _, body = eventually(taken, f"the job {name}")
        job = json.loads(body)
        equal((status, job["job_info"]["name"]), (201, name))
        if name == "test":
            equal([one["name"] for one in job["dependencies"]], ["build"])
            own = {"JOB-TOKEN": job["token"]}
            equal(call("GET", f"/jobs/{state['job']['id']}/artifacts", headers=own)[0], 200)
        else:
            values = {one["key"]: one["value"] for one in job["variables"]}
            equal(values["A"], "3")
        equal(call("PUT", f"/jobs/{job['id']}", {"token": job["token"], "state": "success"})[0], 200)
    done = lambda: (lambda one: one if one.status == "success" else None)(project.pipelines.get(state["pipeline"]))
    equal(eventually(done, "the end").detailed_status["text"], "Passed")
    equal(zipfile.ZipFile(io.BytesIO(project.artifacts.download("main", "build"))).namelist(), ["out"])
    job = project.jobs.get(state["job"]["id"])
    job.erase()
    equal(job.trace(), b"")


@step
def triggers():
    trigger = kept.triggers.create({"description": "t"})
    fired = kept.trigger_pipeline("main", trigger.token, variables={"X": "1"})
    equal(project.pipelines.get(fired.id).source, "trigger")
    refused(404, lambda: kept.trigger_pipeline("main", "wrong"))
    trigger.delete()


walk()
