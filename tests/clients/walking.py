"""What the walks with python-gitlab share: a server to walk on, steps told one by one, and questions asked of it."""

import os
import subprocess
import sys
import tempfile
import time
import uuid

import gitlab

url, token = sys.argv[1], sys.argv[2]
api = gitlab.Gitlab(url, private_token=token)
anonymous = gitlab.Gitlab(url)
mark = uuid.uuid4().hex[:8]
failed = 0
steps = []


def step(work):
    steps.append(work)
    return work


def run(work):
    global failed
    try:
        work()
        print(f"ok    {work.__name__.replace('_', ' ')}")
    except Exception as error:  # every step is reported, also after a failure
        failed += 1
        line = error.__traceback__.tb_next.tb_lineno if error.__traceback__.tb_next else 0
        print(f"FAIL  {work.__name__.replace('_', ' ')}, line {line}: {type(error).__name__}: {error}")


def refused(status, work, message=None):
    try:
        work()
    except gitlab.exceptions.GitlabError as error:
        assert error.response_code == status, f"{error.response_code} instead of {status}: {error}"
        assert message is None or error.error_message == message, f"{error.error_message!r} instead of {message!r}"
        return error
    raise AssertionError(f"was not refused with {status}")


def equal(actual, expected):
    assert actual == expected, f"{actual!r} instead of {expected!r}"


def has(shown, *names):
    attributes = shown if isinstance(shown, dict) else shown.attributes
    missing = [name for name in names if name not in attributes]
    assert not missing, f"without {', '.join(missing)}: {attributes!r}"


def eventually(ask, what):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        answer = ask()
        if answer:
            return answer
        time.sleep(0.1)
    raise AssertionError(f"{what} did not come")


def git(folder, *parameters):
    done = subprocess.run(["git", "-C", folder, *parameters], capture_output=True, text=True)
    assert done.returncode == 0, f"git {parameters[0]}: {done.stderr}"
    return done.stdout.strip()


def as_user(user):
    made = user.personal_access_tokens.create({"name": "walk", "scopes": ["api"]})
    return gitlab.Gitlab(url, private_token=made.token)


def person(name):
    data = {"email": f"{name}{mark}@example.com", "username": f"{name}{mark}", "name": name.title()}
    return api.users.create({**data, "password": "correct horse 42", "skip_confirmation": True})


def key_of(folder, name):
    path = os.path.join(folder, name)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path], check=True)
    with open(f"{path}.pub") as file:
        return path, file.read().strip()


def add(project, path, content, branch="main", **more):
    data = {"file_path": path, "branch": branch, "content": content, "commit_message": f"Add {path}"}
    return project.files.create({**data, **more})


def allow_local(is_allowed):
    """Lets the server send to this machine, or not."""
    settings = api.settings.get()
    settings.allow_local_requests_from_web_hooks_and_services = is_allowed
    settings.save()


def cloned(project, client=api):
    """A clone by the user of the client in a folder that goes with it, and where it was cloned from."""
    folder = tempfile.TemporaryDirectory()
    address = url.replace("://", f"://git:{client.private_token}@") + f"/{project.path_with_namespace}.git"
    git(folder.name, "clone", "--quiet", address, "work")
    for name, value in (("user.name", "W"), ("user.email", "w@example.com")):
        git(os.path.join(folder.name, "work"), "config", name, value)
    return folder, os.path.join(folder.name, "work")


def walk():
    for work in steps:
        run(work)
    sys.exit(1 if failed else 0)
