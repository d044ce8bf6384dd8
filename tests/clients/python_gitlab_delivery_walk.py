"""The acceptance walk of delivery (contract 24, steps 1, 2, 4, 5, 16 to 20) with python-gitlab, unchanged. The jobs are run by
hand with the runner's protocol.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_delivery_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails.
"""

import base64
import io
import json
import urllib.error
import urllib.parse
import urllib.request
import zipfile

from walking import add, anonymous, api, as_user, equal, eventually, has, mark, person, refused, step, token, url, walk

CONFIG = """
deploy:
  script: x
  environment: {name: production}
  rules: [{if: $CI_COMMIT_BRANCH == "main"}]
pages:
  script: x
  artifacts: {paths: [public]}
  rules: [{if: $CI_COMMIT_BRANCH == "site"}]
check:
  script: x
  rules: [{if: $CI_PIPELINE_SOURCE == "merge_request_event"}]
"""

group = api.groups.create({"name": f"delivery {mark}", "path": f"delivery{mark}"})
project = api.projects.create({"name": "p", "namespace_id": group.id})
add(project, ".gitlab-ci.yml", CONFIG, commit_message="one [skip ci]")
people = {name: person(name) for name in ("main", "dev", "rep", "stranger")}
for name, level in (("main", 40), ("dev", 30), ("rep", 20)):
    project.members.create({"user_id": people[name].id, "access_level": level})
clients = {name: as_user(user) for name, user in people.items()}
kept, theirs, reports = (clients[name].projects.get(project.id) for name in ("main", "dev", "rep"))
state = {}


def call(method, path, body=None, headers=None, data=None):
    """A request outside of the client: status, headers, body."""
    sent = {"Content-Type": "application/json"} if body is not None else {}
    request = urllib.request.Request(
        path if path.startswith("http") else f"{url}/api/v4{path}",
        method=method,
        headers={**sent, **(headers or {})},
        data=data if data is not None else json.dumps(body).encode() if body is not None else None,
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def finish(name, archive=None):
    """Takes the next job as a runner, which has to be this one, uploads its artifacts, and ends it."""

    def taken():
        status, _, body = call("POST", "/jobs/request", {"token": state["runner"]})
        return json.loads(body) if status == 201 else None

    job = eventually(taken, f"the job {name}")
    equal(job["job_info"]["name"], name)
    if archive is not None:
        head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'
        sent = {"Content-Type": "multipart/form-data; boundary=x", "JOB-TOKEN": job["token"]}
        path = f"/jobs/{job['id']}/artifacts?artifact_format=zip&artifact_type=archive"
        equal(call("POST", path, headers=sent, data=head + archive + b"\r\n--x--\r\n")[0], 201)
    equal(call("PUT", f"/jobs/{job['id']}", {"token": job["token"], "state": "success"})[0], 200)
    return job["id"]


@step
def environments():
    made = theirs.environments.create({"name": "review/fix-foo", "external_url": "http://a.test/x"})
    assert made.slug.startswith("review-fix-foo-"), made.slug
    equal((made.tier, made.state), ("development", "available"))
    refused(400, lambda: theirs.environments.create({"name": "review/fix-foo"}))
    refused(400, lambda: theirs.environments.create({"name": "y", "slug": "x"}))
    refused(400, lambda: theirs.environments.create({"name": "y", "external_url": "javascript:1"}))
    refused(403, lambda: reports.environments.create({"name": "y"}))
    refused(400, lambda: theirs.environments.list(search="ab"))
    refused(400, lambda: theirs.environments.list(states="x"))
    refused(403, made.delete)
    made.stop()
    equal(theirs.environments.get(made.id).state, "stopped")
    made.delete()
    refused(404, lambda: theirs.environments.get(made.id))


@step
def runner():
    made = api.http_post("/user/runners", post_data={"runner_type": "project_type", "project_id": project.id})
    state["runner"] = made["token"]
    equal(call("POST", "/runners/verify", {"token": made["token"]})[0], 200)


@step
def protected_environments():
    levels = [{"access_level": 40}]
    rules = [{"user_id": people["rep"].id}]
    data = {"name": "production", "deploy_access_levels": levels, "approval_rules": rules}
    made = kept.protected_environments.create(data)
    has(made, "name", "deploy_access_levels", "approval_rules", "required_approval_count")
    refused(409, lambda: kept.protected_environments.create(data))
    refused(403, lambda: theirs.protected_environments.create({**data, "name": "x"}))
    stranger = {"name": "x", "deploy_access_levels": [{"user_id": people["stranger"].id}]}
    refused(422, lambda: kept.protected_environments.create(stranger))
    equal([one.name for one in kept.protected_environments.list()], ["production"])
    kept.protected_environments.get("production")
    address = f"/groups/{group.id}/protected_environments"
    refused(422, lambda: api.http_post(address, post_data={"name": "x", "deploy_access_levels": levels}))
    api.http_post(address, post_data={"name": "production", "deploy_access_levels": levels})
    refused(409, lambda: api.http_post(address, post_data={"name": "production", "deploy_access_levels": levels}))
    api.http_delete(f"{address}/production")


@step
def deployments_that_wait_for_approval():
    sha = project.branches.get("main").commit["id"]
    data = {"environment": "production", "sha": sha, "ref": "main", "tag": False, "status": "success"}
    refused(403, lambda: theirs.deployments.create(data))
    pipeline = project.pipelines.create({"ref": "main"})
    deployment = eventually(lambda: project.deployments.list(status="blocked", get_all=True), "the deployment")[0]
    job = project.jobs.get(pipeline.jobs.list(get_all=True)[0].id)
    refused(400, job.play)
    maintained = clients["main"].projects.get(project.id).deployments.get(deployment.id)
    refused(400, lambda: maintained.approval("approved"))
    approved = reports.deployments.get(deployment.id).approval("approved", comment="LGTM")
    equal((approved["status"], approved["comment"], approved["user"]["id"]), ("approved", "LGTM", people["rep"].id))
    job.play()
    finish("deploy")
    equal(eventually(lambda: project.deployments.get(deployment.id).status == "success", "the success"), True)


@step
def deployments_by_the_api():
    sha = project.branches.get("main").commit["id"]
    data = {"environment": "edge", "sha": sha, "ref": "main", "tag": False, "status": "success"}
    made = theirs.deployments.create(data)
    equal((made.status, made.deployable), ("success", None))
    refused(400, lambda: theirs.deployments.create({**data, "ref": "nope"}))
    refused(400, lambda: api.http_delete(f"/projects/{project.id}/deployments/{made.id}"))
    equal(made.mergerequests.list(get_all=True), [])


@step
def a_merge_request_with_a_pipeline_of_its_own():
    theirs.branches.create({"branch": "topic", "ref": "main"})
    add(theirs, "topic.txt", "x", branch="topic")
    data = {"source_branch": "topic", "target_branch": "main", "title": "Topic"}
    state["request"] = request = theirs.mergerequests.create(data)
    of = lambda: request.pipelines.list(get_all=True)
    [found] = eventually(of, "the pipeline of the request")
    equal(found.source, "merge_request_event")
    finish("check")
    made = request.pipelines.create()
    equal(made.source, "merge_request_event")
    equal([one.id for one in of()], [made.id, found.id])
    project.pipelines.get(made.id).cancel()


@step
def status_checks():
    data = {"name": "MR blocker", "external_url": "https://example.com/mr-blocker"}
    made = kept.external_status_checks.create(data)
    has(made, "id", "name", "external_url", "protected_branches")
    equal(len(kept.external_status_checks.list(get_all=True)), 1)
    refused(401, lambda: theirs.external_status_checks.list())
    request = kept.mergerequests.get(state["request"].iid)
    [asked] = request.status_checks.list(get_all=True)
    equal((asked.id, asked.status), (made.id, "pending"))
    answer = f"/projects/{project.id}/merge_requests/{request.iid}/status_check_responses"
    said = {"external_status_check_id": made.id, "status": "passed"}
    maintainer = clients["main"]
    refused(409, lambda: maintainer.http_post(answer, post_data={**said, "sha": "f" * 40}))
    maintainer.http_post(answer, post_data={**said, "sha": request.sha, "status": "failed"})
    retry = f"/projects/{project.id}/merge_requests/{request.iid}/status_checks/{made.id}/retry"
    equal(call("POST", retry, headers={"PRIVATE-TOKEN": maintainer.private_token})[0], 202)
    maintainer.http_post(answer, post_data={**said, "sha": request.sha})
    equal(call("POST", retry, headers={"PRIVATE-TOKEN": maintainer.private_token})[0], 422)
    made.delete()


@step
def approval_rules_and_settings():
    config = kept.approvals.get()
    before = config.reset_approvals_on_push
    config.reset_approvals_on_push = not before
    config.save()
    equal(kept.approvals.get().reset_approvals_on_push, not before)
    rule = kept.approvalrules.create({"name": "security", "approvals_required": 1, "user_ids": [people["main"].id]})
    equal([one.name for one in kept.approvalrules.list(get_all=True)], ["security"])
    setting = f"/groups/{group.id}/merge_request_approval_setting"
    api.http_put(setting, post_data={"allow_author_approval": False})
    shown = api.http_get(f"/projects/{project.id}/merge_request_approval_setting")["allow_author_approval"]
    equal((shown["value"], shown["locked"], shown["inherited_from"]), (False, True, "group"))
    request = kept.mergerequests.get(state["request"].iid)
    own = request.approval_rules.create({"name": "own", "approvals_required": 1, "user_ids": [people["main"].id]})
    equal(own.name, "own")
    equal(request.approval_state.get().approval_rules_overwritten, True)
    request.approve()
    equal(request.approvals.get().approved, True)
    config.disable_overriding_approvers_per_merge_request = True
    config.save()
    again = {"name": "again", "approvals_required": 1}
    refused(403, lambda: request.approval_rules.create(again))
    config.disable_overriding_approvers_per_merge_request = False
    config.save()
    own.delete()
    rule.delete()
    equal(kept.approvalrules.list(get_all=True), [])


@step
def pages():
    settings = kept.pages.get()
    equal(settings.is_unique_domain_enabled, True)
    refused(403, lambda: theirs.pages.get())
    kept.pages.update(new_data={"pages_unique_domain_enabled": False})
    equal(kept.pages.get().is_unique_domain_enabled, False)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("public/index.html", "<p>a site</p>")
    project.branches.create({"branch": "site", "ref": "main"})
    if not project.pipelines.list(ref="site", get_all=True):
        project.pipelines.create({"ref": "site"})
    finish("pages", archive.getvalue())
    site = eventually(lambda: kept.pages.get().deployments and kept.pages.get().url, "the site")
    address = urllib.parse.urlsplit(url)
    host = urllib.parse.urlsplit(site).netloc

    def visit(secret=None, path=None, method="GET"):
        # The names of sites need not resolve on the machine of the client.
        sent = {"Host": host}
        if secret:
            sent["Authorization"] = "Basic " + base64.b64encode(f"x:{secret}".encode()).decode()
        target = f"http://{address.netloc}{urllib.parse.urlsplit(site).path if path is None else path}"
        return call(method, target, headers=sent)

    status, headers, body = visit(clients["main"].private_token)
    equal((status, body), (200, b"<p>a site</p>"))
    equal(visit()[0], 401)
    equal(visit(clients["stranger"].private_token)[0], 404)
    equal(visit(path="/api/v4/version")[0], 401)
    project.pages_access_level = "public"
    project.save()
    status, headers, _ = visit()
    equal((status, headers["X-Content-Type-Options"], headers["Set-Cookie"]), (200, "nosniff", None))
    equal(visit(method="POST")[0], 405)
    domain = kept.pagesdomains.create({"domain": f"www{mark}.example.com"})
    refused(403, lambda: clients["main"].pagesdomains.list())
    assert domain.domain in [one.domain for one in api.pagesdomains.list(get_all=True)]
    domain.delete()
    kept.pages.delete()


walk()
