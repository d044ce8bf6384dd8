"""The acceptance walk of relation exports (contract 14) with python-gitlab, unchanged.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_relation_exports_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails. The library has no class for these operations, so its own
requests are used. What needs a kill or a clock (steps 13 and 14) is tested inside the server.
"""

import gzip
import io
import json
import os
import subprocess
import tarfile
import tempfile

from walking import add, anonymous, api, as_user, equal, eventually, has, mark, person, refused, step, walk

owner = as_user(person("owner"))
maintainer_user, developer_user = person("maintainer"), person("developer")
maintainer, developer = as_user(maintainer_user), as_user(developer_user)
outsider = as_user(person("outsider"))
group = owner.groups.create({"name": f"exports{mark}", "path": f"exports{mark}"})
project = owner.projects.create({"name": f"exported{mark}", "initialize_with_readme": True, "default_branch": "main"})
for member, level in ((maintainer_user, 40), (developer_user, 30)):
    project.members.create({"user_id": member.id, "access_level": level})
group.members.create({"user_id": maintainer_user.id, "access_level": 40})
at = f"/projects/{project.id}/export_relations"
group_at = f"/groups/{group.id}/export_relations"
issues = 1205
state = {}


def status(client=maintainer, base=at, **query):
    return client.http_get(f"{base}/status", query_data=query)


def download(client=maintainer, base=at, **query):
    return client.http_get(f"{base}/download", query_data=query, raw=True)


def lines(*parameters, **query):
    text = gzip.decompress(download(*parameters, **query).content).decode()
    assert text == "" or text.endswith("\n"), "the last line has no end"
    return [json.loads(line) for line in text.splitlines()]


def archive(relation):
    return tarfile.open(fileobj=io.BytesIO(download(relation=relation).content), mode="r:gz")


def finished(client=maintainer, base=at):
    def ask():
        found = status(client, base)
        return found if all(one["status"] != 0 for one in found) else None

    return {one["relation"]: one for one in eventually(ask, "the end of the export")}


@step
def contents():
    for name in ("a", "b", "c"):
        project.labels.create({"name": name, "color": "#112233"})
    for number in range(issues):
        (developer if number % 2 else owner).projects.get(project.id, lazy=True).issues.create({"title": f"Issue {number}"})
    add(project, "more.txt", "text")
    project.branches.create({"branch": "topic/x", "ref": "main"})
    state["upload"] = project.upload("a.txt", filedata=b"bytes")
    group.labels.create({"name": "of the group", "color": "#445566"})


@step
def who_may_export():
    refused(401, lambda: anonymous.http_post(at))
    refused(403, lambda: developer.http_post(at), "403 Forbidden")
    refused(404, lambda: outsider.http_post(at), "404 Project Not Found")
    refused(403, lambda: maintainer.http_post(group_at))


@step
def before_the_first_export():
    equal(status(), [])
    refused(404, lambda: download(relation="labels"), "Export not found")
    refused(400, lambda: download(relation="nope"))
    refused(400, lambda: download())


@step
def an_export_without_batches():
    equal(maintainer.http_post(at), {"message": "202 Accepted"})
    state["names"] = [one["relation"] for one in status()]
    for name in ("self", "labels", "issues", "repository", "user_contributions"):
        assert name in state["names"], name
    for name, one in finished().items():
        equal((name, one["status"], one["batched"], "batches" in one), (name, 1, False, False))


@step
def labels():
    answer = download(relation="labels")
    equal(answer.headers["Content-Type"], "application/gzip")
    equal(answer.headers["Content-Disposition"], 'attachment; filename="labels.ndjson.gz"')
    found = lines(relation="labels")
    equal(sorted(one["title"] for one in found), ["a", "b", "c"])
    has(found[0], "title", "color")
    assert "id" not in found[0]


@step
def one_status():
    [one] = status(relation="issues")
    equal(one["total_objects_count"], issues)
    refused(400, lambda: download(relation="issues", batched=True, batch_number=1), "Export is not batched")
    refused(400, lambda: download(relation="issues", batched=True))


@step
def repository():
    with tempfile.TemporaryDirectory() as folder:
        archive("repository").extractall(folder, filter="data")
        clone = os.path.join(folder, "clone")
        subprocess.run(["git", "clone", "-q", "--bare", os.path.join(folder, "project.bundle"), clone], check=True)
        branches = subprocess.run(["git", "-C", clone, "branch", "--format=%(refname:short)"], capture_output=True, text=True)
    equal(sorted(branches.stdout.split()), ["main", "topic/x"])


@step
def uploads():
    opened = archive("uploads")
    [name] = opened.getnames()
    equal(f"/uploads/{name}", state["upload"]["url"])
    equal(opened.extractfile(name).read(), b"bytes")


@step
def contributors():
    authors = {one["author_id"] for one in lines(relation="issues")}
    known = {one["id"] for one in lines(relation="user_contributions")}
    assert authors <= known, f"{authors} {known}"


@step
def an_export_in_batches():
    maintainer.http_post(at, post_data={"batched": True})
    found = finished()
    equal([batch["objects_count"] for batch in found["issues"]["batches"]], [1000, 205])
    equal((found["issues"]["batched"], found["issues"]["batches_count"]), (True, 2))
    equal((found["boards"]["batched"], found["boards"]["batches"]), (True, []))
    equal(found["repository"]["batched"], False)
    iids = {one["iid"] for number in (1, 2) for one in lines(relation="issues", batched=True, batch_number=number)}
    equal(len(iids), issues)
    refused(404, lambda: download(relation="issues", batched=True, batch_number=3), "Batch not found")
    refused(400, lambda: download(relation="issues"), "Export is batched")


@step
def a_group():
    equal(owner.http_post(group_at), {"message": "202 Accepted"})
    assert all(one["status"] == 1 for one in finished(owner, group_at).values())
    equal([one["title"] for one in lines(owner, group_at, relation="labels")], ["of the group"])


@step
def the_setting():
    api.http_put("/application/settings", post_data={"bulk_import_enabled": False})
    try:
        for client in (api, owner, maintainer):
            refused(404, lambda: client.http_post(at), "404 Not Found")
            refused(404, lambda: status(client), "404 Not Found")
            refused(404, lambda: download(client, relation="labels"), "404 Not Found")
    finally:
        api.http_put("/application/settings", post_data={"bulk_import_enabled": True})
    equal(len(status()), len(state["names"]))


walk()
