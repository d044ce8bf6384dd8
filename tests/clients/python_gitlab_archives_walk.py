"""The acceptance walk of archives and migrations (contract 25, steps 8 to 10) with python-gitlab, unchanged: exports and imports of projects
and groups, imports by address, migrations from another server, which here is the same one.

    pip install python-gitlab
    FENNEC_ROOT_TOKEN=… npm start
    python tests/clients/python_gitlab_archives_walk.py http://127.0.0.1:8080 "$FENNEC_ROOT_TOKEN"

Prints a line per step and ends with the status 1 when one fails.
"""

import io
import re
import tarfile

from walking import add, allow_local, api, as_user, equal, eventually, has, mark, person, refused, step, token, url, walk

settings = api.settings.get()
settings.bulk_import_enabled = True
settings.import_sources = ["gitlab_project", "git"]
settings.project_download_export_limit = 1
settings.save()
group = api.groups.create({"name": f"kept {mark}", "path": f"kept{mark}"})
project = api.projects.create({"name": "p", "namespace_id": group.id, "initialize_with_readme": True})
people = {name: person(name) for name in ("own", "main")}
for name, level in (("own", 50), ("main", 40)):
    group.members.create({"user_id": people[name].id, "access_level": level})
clients = {name: as_user(user) for name, user in people.items()}
led, kept = clients["own"].groups.get(group.id), clients["main"].projects.get(project.id)
label = group.labels.create({"name": "ui", "color": "#ff0000"})
below = api.groups.create({"name": "below", "path": "below", "parent_id": group.id})
issue = project.issues.create({"title": "An issue", "labels": ["own", "ui"], "description": "text"})
issue.notes.create({"body": "A comment"})
add(project, "a.txt", "text", branch="main")
project.branches.create({"branch": "topic", "ref": "main"})
project.wikis.create({"title": "home", "content": "A page"})


def own(text):
    """A text without the line that names its author, where nobody here is that author."""
    return re.sub(r"^\*By .* \(imported from GitLab\)\*\n\n", "", text)


def told(of):
    """What a copy has to have as well."""
    return {
        "issues": [(one.iid, one.title, own(one.description), one.labels) for one in of.issues.list(get_all=True)],
        "notes": [own(one.body) for one in of.issues.get(1).notes.list(get_all=True) if not one.system],
        "branches": [(one.name, one.commit["id"]) for one in of.branches.list(get_all=True)],
        "pages": [(one.slug, one.content) for one in of.wikis.list(get_all=True, with_content=True)],
    }


def imported(answer, status="finished"):
    made = api.projects.get(answer["id"], lazy=True)
    ended = eventually(lambda: ending(made.imports.get()), f"the end of the import of {answer['path']}")
    equal((ended.import_status, ended.import_error is None), (status, status == "finished"))
    return api.projects.get(answer["id"])


def ending(shown):
    return shown if shown.import_status in ("finished", "failed") else None


archive = {}


@step
def an_export_of_a_project():
    equal(kept.exports.get().export_status, "none")
    refused(404, lambda: kept.exports.get().download())
    export = kept.exports.create({})
    eventually(lambda: finished(export), "the export")
    has(export, "_links")
    archive["project"] = export.download()
    with tarfile.open(fileobj=io.BytesIO(archive["project"]), mode="r:gz") as file:
        names = {name.removeprefix("./") for name in file.getnames()}
    assert {"VERSION", "project.bundle", "tree/project.json"} <= names, names
    # The client itself would wait until the next minute.
    refused(429, lambda: export.download(obey_rate_limit=False))


def finished(export):
    export.refresh()
    return export.export_status == "finished"


@step
def an_import_of_a_project():
    owner = clients["own"]
    send = lambda content, path, **more: owner.projects.import_project(content, path, namespace=group.path, **more)
    answer = send(io.BytesIO(archive["project"]), "q", name="Q", override_params={"visibility": "private"})
    equal(answer["import_status"], "scheduled")
    copy = imported(answer)
    equal((copy.name, copy.path), ("Q", "q"))
    equal(told(copy), told(project))
    refused(400, lambda: send(io.BytesIO(archive["project"]), "q", name="Q"))
    imported(send(io.BytesIO(b"text"), "broken"), "failed")
    over = send(io.BytesIO(archive["project"]), "q", name="Q", overwrite=True)
    equal(told(imported(over)), told(project))


@step
def imports_by_address():
    owner = clients["own"]
    refused(400, lambda: owner.projects.remote_import("ftp://w/u", "r", namespace=group.path))
    refused(400, lambda: owner.projects.remote_import("https://127.0.0.1/x.tar.gz", "r", namespace=group.path))
    by_s3 = lambda: owner.projects.remote_import_s3("r", "eu-west-1", "no bucket", "key", "id", "secret", namespace=group.path)
    refused(400, by_s3)


@step
def an_import_of_a_repository():
    allow_local(True)
    public = api.projects.create({"name": f"open {mark}", "visibility": "public", "initialize_with_readme": True})
    source = f"{url}/{public.path_with_namespace}.git"
    made = clients["own"].projects.create({"name": "by address", "namespace_id": group.id, "import_url": source})
    copy = imported(made.attributes)
    equal([one.name for one in copy.branches.list(get_all=True)], ["main"])
    allow_local(False)


@step
def an_export_and_an_import_of_a_group():
    refused(403, lambda: clients["main"].groups.get(group.id).exports.create())
    export = led.exports.create()
    archive["group"] = eventually(lambda: downloaded(export), "the export of the group")
    path = f"again{mark}"
    clients["own"].groups.import_group(io.BytesIO(archive["group"]), path=path, name="Again")
    copy = clients["own"].groups.get(path)
    eventually(lambda: copy.imports.get().import_status == "finished", "the import of the group")
    equal([one.name for one in copy.labels.list(get_all=True)], ["ui"])
    equal([one.path for one in copy.subgroups.list(get_all=True)], ["below"])


def downloaded(export):
    try:
        return export.download()
    except Exception:  # not there yet
        return None


@step
def a_migration():
    owner = clients["own"]
    configuration = {"url": url, "access_token": owner.private_token}
    entity = {
        "source_full_path": group.full_path,
        "source_type": "group_entity",
        "destination_slug": f"moved{mark}",
        "destination_namespace": "",
    }
    asked = {"configuration": configuration, "entities": [entity]}
    migration = owner.bulk_imports.create(asked)
    equal(migration.status, "created")
    eventually(lambda: migration_ended(owner, migration.id), "the migration")
    equal(owner.bulk_imports.get(migration.id).status, "finished")
    entities = owner.bulk_imports.get(migration.id).entities.list(get_all=True)
    assert {one.entity_type for one in entities} == {"group", "project"}, entities
    [moved] = [one for one in entities if one.source_full_path == group.full_path]
    equal(owner.http_list(f"/bulk_imports/{migration.id}/entities/{moved.id}/failures", get_all=True), [])
    assert len(owner.bulk_import_entities.list(get_all=True)) >= len(entities)
    copy = owner.projects.get(f"moved{mark}/p")
    equal(told(copy)["branches"], told(project)["branches"])
    refused(422, lambda: owner.bulk_imports.create(asked))
    tokens = api.users.get(people["own"].id).personal_access_tokens
    weak = tokens.create({"name": "weak", "scopes": ["read_user"]}).token
    refused(422, lambda: owner.bulk_imports.create({**asked, "configuration": {**configuration, "access_token": weak}}))


def migration_ended(client, id):
    return client.bulk_imports.get(id).status not in ("created", "started")


@step
def migrations_that_are_switched_off():
    switch(False)
    refused(404, lambda: clients["own"].bulk_imports.list(get_all=True))
    switch(True)


def switch(is_on):
    settings = api.settings.get()
    settings.bulk_import_enabled = is_on
    settings.save()


walk()
