"""The acceptance walk of snippets (contract 09) with python-gitlab, unchanged, and with git.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_snippets_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails.
"""

import tempfile

from walking import anonymous, api, as_user, equal, git, has, mark, person, refused, step, walk

author = as_user(person("author"))
other = as_user(person("other"))
reporter_user = person("reporter")
reporter = as_user(reporter_user)
project = author.projects.create({"name": f"snippets{mark}"})
project.members.create({"user_id": reporter_user.id, "access_level": 20})
files = [{"file_path": "b.txt", "content": "B"}, {"file_path": "a.rb", "content": "A"}]
state = {}


@step
def creation():
    snippet = author.snippets.create({"title": "T", "visibility": "private", "files": files})
    state["id"] = snippet.id
    equal(snippet.file_name, "a.rb")
    equal([one["path"] for one in snippet.files], ["a.rb", "b.txt"])
    has(snippet, "web_url", "raw_url", "ssh_url_to_repo", "http_url_to_repo", "expires_at", "project_id")
    refused(400, lambda: author.http_post("/snippets", post_data={"title": "T"}))
    many = [{"file_path": f"f{number}", "content": "x"} for number in range(11)]
    refused(400, lambda: author.snippets.create({"title": "T", "files": many}))


@step
def reading():
    snippet = author.snippets.get(state["id"])
    equal(snippet.content(), b"A")
    equal(b"".join(snippet.content(iterator=True)), b"A")
    for client in (other, anonymous):
        refused(404, lambda: client.snippets.get(state["id"]), "404 Snippet Not Found")
    equal(api.snippets.get(state["id"]).title, "T")


@step
def changes():
    snippet = author.snippets.get(state["id"])
    snippet.title = "Other"
    snippet.files = [
        {"action": "move", "previous_path": "a.rb", "file_path": "c.rb"},
        {"action": "create", "file_path": "0.txt", "content": "0"},
    ]
    snippet.save()
    equal(author.snippets.get(state["id"]).content(), b"0")
    refused(400, lambda: author.snippets.update(state["id"], {"content": "x"}))
    refused(422, lambda: author.snippets.update(state["id"], {"files": [{"action": "move", "file_path": "x"}]}))
    refused(404, lambda: other.snippets.update(state["id"], {"title": "x"}))


@step
def repository():
    snippet = author.snippets.get(state["id"])
    address = snippet.http_url_to_repo.replace("://", f"://any:{author.private_token}@")
    with tempfile.TemporaryDirectory() as folder:
        git(folder, "clone", "--quiet", address, "copy")
        work = f"{folder}/copy"
        equal(git(work, "ls-files"), "0.txt\nb.txt\nc.rb")
        with open(f"{work}/0.txt", "w") as file:
            file.write("by git")
        git(work, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "--quiet", "--all", "-m", "change")
        git(work, "push", "--quiet", "origin", "main")
        equal(snippet.content(), b"by git")


@step
def lists():
    author.snippets.update(state["id"], {"visibility": "public"})
    assert state["id"] in [one.id for one in other.snippets.list_public(iterator=True)]
    assert state["id"] in [one.id for one in other.snippets.list_all(iterator=True)]
    equal([one.id for one in author.snippets.list(get_all=True)], [state["id"]])
    refused(401, lambda: anonymous.snippets.list_public(get_all=False))
    equal(anonymous.snippets.get(state["id"]).content(), b"by git")


@step
def user_agent():
    detail = api.snippets.get(state["id"]).user_agent_detail()
    assert detail["user_agent"].startswith("python-gitlab/"), detail
    refused(403, lambda: author.snippets.get(state["id"]).user_agent_detail())


@step
def snippets_of_projects():
    mine = reporter.projects.get(project.id)
    snippet = mine.snippets.create({"title": "P", "visibility": "private", "files": files})
    equal(snippet.project_id, project.id)
    equal([one.id for one in mine.snippets.list(get_all=True)], [snippet.id])
    equal(snippet.content(), b"A")
    snippet.title = "Q"
    snippet.save()
    equal(author.projects.get(project.id).snippets.get(snippet.id).title, "Q")
    refused(404, lambda: other.projects.get(project.id, lazy=True).snippets.get(snippet.id))
    detail = api.projects.get(project.id).snippets.get(snippet.id).user_agent_detail()
    has(detail, "user_agent", "ip_address", "akismet_submitted")
    snippet.delete()
    refused(404, lambda: mine.snippets.get(snippet.id), "404 Snippet Not Found")


@step
def deletion():
    refused(404, lambda: other.snippets.delete(state["id"]))
    author.snippets.delete(state["id"])
    refused(404, lambda: author.snippets.delete(state["id"]), "404 Snippet Not Found")


walk()
