"""The acceptance walk of storage moves (contract 10), with python-gitlab, unchanged, and the real git. The server needs the storages
`default` and `storage2`:

    pip install python-gitlab
    mkdir -p /tmp/a /tmp/b
    FENNEC_STORAGES=default=/tmp/a,storage2=/tmp/b FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_storage_moves_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails.
"""

import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from walking import anonymous, api, as_user, equal, eventually, has, mark, person, refused, step, token, url, walk

user = as_user(person("user"))
group = api.groups.create({"name": f"g {mark}", "path": f"g{mark}", "visibility": "public"})
project = api.projects.create({
    "name": "p",
    "namespace_id": group.id,
    "visibility": "public",
    "initialize_with_readme": True,
})
project.branches.create({"branch": "other", "ref": "main"})
project.tags.create({"tag_name": "v1", "ref": "main"})
project.wikis.create({"title": "home", "content": "A page"})
snippet = api.snippets.create({"title": "s", "visibility": "public", "files": [{"file_path": "a.txt", "content": "A"}]})
moves = f"/projects/{project.id}/repository_storage_moves"
READ_ONLY = "The repository is temporarily read-only. Please try again later."
state = {}


def remote():
    return f"{url.replace('://', f'://root:{token}@')}/{project.path_with_namespace}.git"


def git(*args, cwd="/"):
    return subprocess.run(["git", *args], cwd=cwd, capture_output=True, text=True)


def refs():
    return git("ls-remote", remote()).stdout


def ended(path, expected="finished"):
    shown = eventually(lambda: (m := api.http_get(path))["state"] not in ("scheduled", "started", "replicated") and m, path)
    equal(shown["state"], expected)


def weights(values):
    api.http_put("/application/settings", post_data={"repository_storages_weighted": values})


@step
def step_1_only_administrators_list_moves():
    refused(403, lambda: user.http_get("/project_repository_storage_moves"))
    refused(401, lambda: anonymous.http_get("/project_repository_storage_moves"))
    equal(api.http_list(moves, get_all=True), [])


@step
def step_2_an_unknown_storage():
    error = refused(400, lambda: api.http_post(moves, post_data={"destination_storage_name": "nope"}))
    equal(error.error_message, {"destination_storage_name": ["is not included in the list"]})


@step
def steps_3_and_4_a_move_makes_the_project_read_only():
    state["refs"] = refs()
    with tempfile.TemporaryDirectory() as folder:
        equal(git("clone", "--quiet", remote(), folder).returncode, 0)
        move = api.http_post(moves, post_data={"destination_storage_name": "storage2"})
        equal([move["state"], move["source_storage_name"], move["destination_storage_name"]], ["scheduled", "default", "storage2"])
        has(move["project"], "id", "description", "name", "name_with_namespace", "path", "path_with_namespace", "created_at")
        state["move"] = move["id"]
        pushed = git("push", remote(), "main:refs/heads/during", cwd=folder)
        assert pushed.returncode == 0 or READ_ONLY in pushed.stderr, pushed.stderr
        try:
            api.http_post(moves, post_data={"destination_storage_name": "storage2"})
        except Exception as error:
            equal(error.error_message, {"project": ["is read-only"]})
        equal(git("fetch", "--quiet", cwd=folder).returncode, 0)


@step
def step_5_it_ends_with_the_same_refs():
    ended(f"{moves}/{state['move']}")
    assert set(state["refs"].splitlines()) <= set(refs().splitlines())
    equal(project.wikis.get("home").content, "A page")
    eventually(lambda: api.projects.get(project.id).repository_storage == "storage2", "the storage")
    eventually(lambda: project.branches.create({"branch": "after", "ref": "main"}) and True, "a branch")


@step
def step_6_the_filter_of_projects():
    shown = api.projects.list(repository_storage="storage2", get_all=True)
    assert project.id in [one.id for one in shown]
    equal(api.projects.list(repository_storage="nope", get_all=True), [])
    assert project.id in [one.id for one in user.projects.list(repository_storage="nope", get_all=True)]


@step
def step_7_the_same_storage():
    move = api.http_post(moves, post_data={"destination_storage_name": "storage2"})
    ended(f"{moves}/{move['id']}")


@step
def step_8_a_snippet_by_weight():
    weights({"default": 0, "storage2": 100})
    path = f"/snippets/{snippet.id}/repository_storage_moves"
    move = api.http_post(path)
    equal(move["destination_storage_name"], "storage2")
    ended(f"{path}/{move['id']}")
    equal(api.snippets.get(snippet.id).content(), b"A")
    weights({"default": 100})


@step
def step_9_the_wiki_of_a_group():
    path = f"/groups/{group.id}/repository_storage_moves"
    move = api.http_post(path, post_data={"destination_storage_name": "storage2"})
    equal(sorted(move["group"]), ["id", "name", "web_url"])
    equal(api.http_get("/group_repository_storage_moves")[0]["id"], move["id"])
    ended(f"{path}/{move['id']}")


@step
def step_10_everything_in_a_storage():
    bulk = "/project_repository_storage_moves"
    refused(400, lambda: api.http_post(bulk, post_data={}))
    refused(400, lambda: api.http_post(bulk, post_data={"source_storage_name": "x"}))
    away = {"source_storage_name": "storage2", "destination_storage_name": "default"}
    equal(api.http_post(bulk, post_data=away), {"message": "202 Accepted"})
    eventually(lambda: api.projects.list(repository_storage="storage2", get_all=True) == [], "an empty storage")


@step
def step_12_two_at_once():
    def schedule(_):
        try:
            return api.http_post(moves, post_data={"destination_storage_name": "storage2"})["id"]
        except Exception as error:
            return error.response_code

    eventually(lambda: all(one["state"] in ("finished", "failed") for one in api.http_get(moves)), "an end")
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(schedule, range(2)))
    equal(answers.count(400), 1)


@step
def step_13_weights():
    error = refused(400, lambda: weights({"storage2": 101}))
    equal(error.error_message, {"repository_storages_weighted": ["value for 'storage2' must be between 0 and 100"]})
    equal(refused(400, lambda: weights({"nope": 1})).error_message, {"repository_storages_weighted": ["can't include: nope"]})


@step
def step_14_a_move_of_another_snippet():
    other = api.snippets.create({"title": "o", "visibility": "private", "files": [{"file_path": "a", "content": "A"}]})
    move = api.http_get(f"/snippets/{snippet.id}/repository_storage_moves")[0]["id"]
    refused(404, lambda: api.http_get(f"/snippets/{other.id}/repository_storage_moves/{move}"), "404 Not found")
    refused(400, lambda: api.http_get("/snippet_repository_storage_moves/abc"))


walk()
