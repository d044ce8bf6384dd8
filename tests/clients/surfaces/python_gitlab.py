"""Prints each request that python-gitlab can send, as `METHOD /path` with `:` for what the caller fills in.

Each method of each manager and object is called, with a client that notes the request instead of sending it. The other output names the
methods that sent nothing: what they would send is not known.
"""

import inspect
import os
import re
import sys
import tempfile
import urllib.parse
import warnings

import gitlab
from gitlab import base, mixins, types
from gitlab.v4 import objects

FILLED = "FILLED"

#: Methods that send nothing.
LOCAL = {*dir(base.RESTObject), *dir(base.RESTManager), "available", "decode"}

#: Managers whose own path is read.
LISTING = (mixins.ListMixin, mixins.GetWithoutIdMixin)

#: Methods of the client itself.
OF_CLIENT = ("auth", "get_license", "markdown", "search", "set_license", "version")

sent = []
sending = set()
silent = set()


class Answer(dict):
    """An object of the server, which has every attribute; a download without a byte."""

    content = b""

    def __missing__(self, key):
        return FILLED

    def __contains__(self, key):
        return True

    def copy(self):
        return Answer(self)

    def pop(self, key, default=None):
        return dict.pop(self, key, FILLED)

    def iter_content(self, chunk_size=None):
        return iter(())


class Parent:
    """Stands for an object of any kind, for managers to which no object leads."""

    def __getattr__(self, name):
        return FILLED


def noting(method, answer):
    def note(client, path, *args, **kwargs):
        path = urllib.parse.unquote(path).split("?")[0].replace(FILLED, ":")
        # Servers take several slashes as one.
        sent.append(f"{method} /{re.sub('/+', '/', path).strip('/')}")
        return answer()

    return note


class Client(gitlab.Gitlab):
    """Notes requests instead of sending them."""

    http_get = noting("GET", Answer)
    http_list = noting("GET", list)
    http_head = noting("HEAD", dict)
    http_post = noting("POST", Answer)
    http_put = noting("PUT", Answer)
    http_patch = noting("PATCH", Answer)
    http_delete = noting("DELETE", Answer)


def value_of(parameter):
    if parameter.name in ("data", "new_data", "query_data", "post_data"):
        return Answer()
    return [FILLED] if "list[" in str(parameter.annotation).lower() else FILLED


def ways_to_call(owner, name):
    """The parameters that are needed, these with one optional one each, or with a filter of a list, and all."""
    method = getattr(owner, name)
    variable = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    parameters = [one for one in inspect.signature(method).parameters.values() if one.kind not in variable]
    # A lazy object is not read.
    parameters = [one for one in parameters if one.name != "lazy"]
    needed = {one.name: value_of(one) for one in parameters if one.default is one.empty}
    yield needed
    for one in parameters:
        if one.name not in needed:
            yield {**needed, one.name: value_of(one)}
    filters = getattr(owner, "_list_filters", ()) if name == "list" else ()
    # `path` replaces the path of the list by one of the caller's.
    yield from ({**needed, one: FILLED} for one in filters if one != "path")
    yield {one.name: value_of(one) for one in parameters}


def fits(owner, name, arguments):
    """Whether a method that may have an `id` has one for objects that have one."""
    parameter = inspect.signature(getattr(owner, name)).parameters.get("id")
    if parameter is None or parameter.default is not None:
        return True
    if name == "head":
        return isinstance(owner, mixins.GetMixin if "id" in arguments else LISTING)
    return ("id" in arguments) == (owner._obj_cls._id_attr is not None)


def try_method(make, name):
    """Calls a method of what `make` returns, which a call may change."""
    before = len(sent)
    owner = make()
    for arguments in ways_to_call(owner, name):
        if not fits(owner, name, arguments):
            continue
        try:
            getattr(make(), name)(**arguments)
        except Exception as error:  # It cannot be called so, or cannot read the answer.
            if "Manager' object has no attribute" in str(error):
                # The method is inherited, and its manager has no request for it.
                return
    (sending if len(sent) > before else silent).add(f"{type(owner).__name__}.{name}")


def try_methods(make):
    for name, _ in inspect.getmembers(type(make()), inspect.isfunction):
        if not name.startswith("_") and name not in LOCAL:
            try_method(make, name)


def item_of(manager):
    item = manager._obj_cls(manager, Answer(id=FILLED, project_id=FILLED, group_id=FILLED))
    # What has not changed is not saved.
    item.__dict__["_updated_attrs"] = {"changed": FILLED}
    return item


visited = set()


def visit(manager):
    if (type(manager), manager.path) in visited:
        return
    visited.add((type(manager), manager.path))
    try_methods(lambda: manager)
    try_methods(lambda: item_of(manager))
    for child in list(item_of(manager).__dict__.values()):
        if isinstance(child, base.RESTManager) and child is not manager:
            visit(child)


def main():
    types.RequiredOptional.validate_attrs = lambda *args, **kwargs: None
    client = Client("http://localhost", private_token="none")
    for manager in [one for one in vars(client).values() if isinstance(one, base.RESTManager)]:
        visit(manager)
    for name in OF_CLIENT:
        try_method(lambda: client, name)
    classes = [one for name, one in vars(objects).items() if name.endswith("Manager")]
    known = {one for one, _ in visited}
    for one in classes:
        if one is not base.RESTManager and one not in known:
            visit(one(client, parent=Parent()))
    print("\n".join(sorted(set(sent))))
    print("\n".join(sorted(silent - sending)), file=sys.stderr)


warnings.simplefilter("ignore")
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    # Uploads read the file that they are given.
    open(FILLED, "wb").close()
    main()
    os.chdir("/")
