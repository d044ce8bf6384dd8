"""The acceptance walk of uploads (contract 08) with python-gitlab, unchanged.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_uploads_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails.
"""

import os
import re
import tempfile
import urllib.parse

from walking import as_user, equal, has, mark, person, refused, step, url, walk

owner = as_user(person("owner"))
guest_user = person("guest")
guest = as_user(guest_user)
project = owner.projects.create({"name": f"uploads{mark}"})
project.members.create({"user_id": guest_user.id, "access_level": 10})
path = f"/projects/{project.id}/uploads"
image = b"\x89PNG\r\n\x1a\n"
state = {}


def content(client, at):
    return client.http_request("get", at).content


@step
def upload_of_bytes():
    made = guest.projects.get(project.id).upload("notes v1.txt", filedata=b"text")
    has(made, "id", "alt", "url", "full_path", "markdown")
    assert re.fullmatch(r"/uploads/[0-9a-f]{32}/notes_v1\.txt", made["url"]), made
    equal(made["markdown"], f"[notes_v1.txt]({made['url']})")
    equal(made["full_path"], f"/-/project/{project.id}{made['url']}")


@step
def upload_of_a_file():
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "dk é.png")
        with open(file, "wb") as opened:
            opened.write(image)
        made = project.upload("dk é.png", filepath=file)
    equal(made["alt"], "dk_é")
    state.update(made)


@step
def reading():
    listed = owner.http_list(path, get_all=True)
    equal([one["filename"] for one in listed], ["dk_é.png", "notes_v1.txt"])
    equal(listed[1]["uploaded_by"]["id"], guest_user.id)
    refused(403, lambda: guest.http_list(path, get_all=True))
    equal(content(owner, f"{path}/{state['id']}"), image)
    secret = state["url"].split("/")[2]
    name = urllib.parse.quote("dk_é.png")
    equal(content(guest, f"{path}/{secret}/{name}"), image)
    refused(404, lambda: content(guest, f"{path}/invalid_secret/{name}"), "404 Not Found")
    refused(400, lambda: content(guest, f"{path}/{secret}/..%2F{name}"))


@step
def web_paths():
    headers = {"PRIVATE-TOKEN": guest.private_token}
    for at in (state["full_path"], state["url"], f"/{project.path_with_namespace}{state['url']}"):
        answer = guest.session.get(f"{url}{at}", headers=headers)
        equal([answer.status_code, answer.content], [200, image])
        equal(answer.headers["content-type"], "image/png")
        equal(guest.session.get(f"{url}{at}").status_code, 404)


@step
def groups():
    group = owner.groups.create({"name": f"uploads{mark}", "path": f"uploads{mark}"})
    made = owner.http_post(f"/groups/{group.id}/uploads", files={"file": ("a.txt", b"text", "text/plain")})
    equal(made["full_path"], f"/-/group/{group.id}{made['url']}")
    equal(len(owner.http_list(f"/groups/{group.id}/uploads", get_all=True)), 1)


@step
def deletion():
    refused(403, lambda: guest.http_delete(f"{path}/{state['id']}"))
    owner.http_delete(f"{path}/{state['id']}")
    refused(404, lambda: owner.http_delete(f"{path}/{state['id']}"), "404 Not found")
    project.delete()


walk()
