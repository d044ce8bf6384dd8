"""The acceptance walk of replication (contract 15) with python-gitlab, unchanged, and a second server that it starts itself.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_replication_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

The server must have no records of nodes. Prints a line per step and ends with the status 1 when one fails.
"""

import os
import socket
import subprocess
import tempfile
import urllib.request

import gitlab
from walking import add, api, as_user, cloned, equal, eventually, git, has, mark, person, refused, step, token, url, walk

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
user = as_user(person("reader"))
owner = as_user(person("owner"))
group = api.groups.create({"name": f"g{mark}", "path": f"g{mark}"})
project = api.projects.create({"name": f"p{mark}", "namespace_id": group.id})
outside = api.projects.create({"name": f"q{mark}"})
add(project, "a.txt", "a")
add(outside, "a.txt", "a")
project.wikis.create({"title": "home", "content": "welcome"})
uploaded = project.upload("notes.txt", filedata=b"bytes of an upload")
state = {}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


port = free_port()
second = f"http://127.0.0.1:{port}"
through = gitlab.Gitlab(second, private_token=token)


def record():
    return api.geonodes.get(state["id"])


def change(**changes):
    return api.http_put(f"/geo_nodes/{state['id']}", post_data=changes)


def opened(address, headers=None):
    return urllib.request.urlopen(urllib.request.Request(address, headers=headers or {}))


def is_complete(types=("project_repositories", "project_wiki_repositories", "uploads")):
    def ask():
        try:
            shown = record().status()
        except gitlab.exceptions.GitlabGetError:
            return None
        done = all(shown[f"{name}_verified_count"] == shown[f"{name}_count"] for name in types)
        return shown if done and shown["healthy"] else None

    return ask


@step
def records_are_for_administrators():
    refused(403, lambda: user.http_post("/geo_nodes", post_data={}))
    error = refused(400, lambda: api.http_post("/geo_nodes", post_data={}))
    equal(error.error_message, "name is missing, url is missing")


@step
def primary():
    lock_out = {"name": url, "url": url}
    error = refused(400, lambda: api.http_post("/geo_nodes", post_data=lock_out))
    assert "base" in error.error_message, error.error_message
    made = api.http_post("/geo_nodes", post_data={**lock_out, "primary": True})
    equal((made["primary"], made["current"], made["url"]), (True, True, f"{url}/"))
    again = {"name": "other", "url": url, "primary": True}
    assert "primary" in refused(400, lambda: api.http_post("/geo_nodes", post_data=again)).error_message
    refused(400, lambda: api.http_put(f"/geo_nodes/{made['id']}", post_data={"enabled": False}))
    state["primary"] = made["id"]


@step
def secondary():
    made = api.http_post("/geo_nodes", post_data={"name": "second", "url": second})
    capacities = [made[name] for name in ("files_max_capacity", "repos_max_capacity", "verification_max_capacity")]
    equal(capacities, [10, 25, 100])
    equal(made["internal_url"], made["url"])
    has(made, "web_geo_replication_details_url")
    wrong = {"name": "second", "url": second, "selective_sync_type": "x", "repos_max_capacity": -1}
    error = refused(400, lambda: api.http_post("/geo_nodes", post_data=wrong))
    equal(sorted(error.error_message), ["name", "repos_max_capacity", "selective_sync_type"])
    state["id"] = made["id"]


@step
def start_of_the_secondary():
    refused(404, lambda: record().status(), "404 Status for Geo node not found Not Found")
    credentials = api.http_post(f"/geo_nodes/{state['id']}/credentials")
    state["folder"] = tempfile.TemporaryDirectory()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("FENNEC_")},
        "FENNEC_DATA": state["folder"].name,
        "FENNEC_LISTEN": f"127.0.0.1:{port}",
        "FENNEC_LOG_LEVEL": "silent",
        "FENNEC_GEO_ROLE": "secondary",
        "FENNEC_GEO_NODE_NAME": "second",
        "FENNEC_GEO_PRIMARY_URL": url,
        "FENNEC_GEO_ACCESS_KEY": credentials["access_key"],
        "FENNEC_GEO_SECRET_ACCESS_KEY": credentials["secret_access_key"],
        "FENNEC_GEO_POLL_SECONDS": "0.2",
        "FENNEC_GEO_STATUS_SECONDS": "0.5",
        "FENNEC_GEO_RETRY_BASE_SECONDS": "0.5",
    }
    command = ["node", "scripts/run.mjs", "src/main.ts"]
    state["process"] = subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.DEVNULL)


@step
def everything_is_copied_and_verified():
    shown = eventually(is_complete(), "a complete copy")
    equal((shown["health"], shown["project_repositories_synced_in_percentage"]), ("Healthy", "100.00%"))
    equal(shown["repositories_synced_count"], shown["projects_count"])
    own = api.http_get("/geo_nodes/current/status")
    equal((own["uploads_synced_count"], own["uploads_checksummed_count"]), (None, own["uploads_count"]))
    assert len(api.geonodes.status()) == 2


@step
def reads_from_the_copy():
    answer = opened(f"{second}{uploaded['full_path']}", {"PRIVATE-TOKEN": token})
    equal((answer.read(), answer.headers["X-Fennec-Geo-Served"]), (b"bytes of an upload", "local"))
    address = second.replace("://", f"://git:{token}@") + f"/{project.path_with_namespace}.git"
    folder = tempfile.TemporaryDirectory()
    git(folder.name, "clone", "--quiet", address, "work")
    state["work"] = folder
    refused(404, lambda: gitlab.Gitlab(second, private_token=owner.private_token).projects.get(project.id))


@step
def writes_pass_to_the_primary():
    work = os.path.join(state["work"].name, "work")
    for name, value in (("user.name", "W"), ("user.email", "w@example.com")):
        git(work, "config", name, value)
    git(work, "commit", "--quiet", "--allow-empty", "--message", "through the secondary")
    git(work, "push", "--quiet")
    head = git(work, "rev-parse", "HEAD")
    equal(project.commits.get("HEAD").id, head)
    assert head in git(work, "ls-remote", "origin", "HEAD")
    issue = through.projects.get(project.id).issues.create({"title": "through the secondary"})
    equal(project.issues.get(issue.iid).title, "through the secondary")
    eventually(is_complete(), "the pushed commit")


@step
def selection():
    refused(404, lambda: change(selective_sync_namespace_ids=[99999999]))
    before = record().status()["projects_count"]
    change(selective_sync_type="namespaces", selective_sync_namespace_ids=[group.id])
    shown = eventually(lambda: (lambda s: s if s["project_repositories_registry_count"] == 1 else None)(record().status()), "a smaller selection")
    equal([one["id"] for one in shown["namespaces"]], [group.id])
    change(selective_sync_type=None)
    eventually(lambda: record().status()["project_repositories_synced_count"] == before, "the whole selection")


@step
def capacity():
    change(repos_max_capacity=0)
    late = api.projects.create({"name": f"late{mark}"})
    late.upload("b.txt", filedata=b"b")
    eventually(lambda: record().status()["uploads_synced_count"] == record().status()["uploads_count"] > 1, "the upload")
    shown = record().status()
    equal(shown["project_repositories_count"] - shown["project_repositories_synced_count"], 1)
    change(repos_max_capacity=25)
    eventually(is_complete(), "the late project")


@step
def failures():
    refused(403, lambda: api.geonodes.current_failures())
    equal(through.geonodes.current_failures(), [])
    refused(400, lambda: through.http_list("/geo_nodes/current/failures", query_data={"type": "x"}))
    refused(404, lambda: through.http_list("/geo_nodes/current/failures", query_data={"failure_type": "x"}))


@step
def credentials():
    api.http_delete(f"/geo_nodes/{state['id']}/credentials")
    equal(record().status()["missing_oauth_application"], True)
    eventually(lambda: not through.http_get("/geo_nodes/current/status")["healthy"], "the unregistered secondary")
    record().repair()
    equal(record().status()["missing_oauth_application"], False)


@step
def sites():
    shown = api.http_list("/geo_sites")
    equal([one["id"] for one in shown], [state["primary"], state["id"]])
    assert all("clone_protocol" not in one and "/geo_sites/" in one["_links"]["self"] for one in shown), shown
    api.http_delete(f"/geo_sites/{state['id']}")
    refused(404, lambda: record())


@step
def end():
    state["process"].terminate()
    equal(state["process"].wait(30), 0)
    api.http_delete(f"/geo_sites/{state['primary']}")


walk()
