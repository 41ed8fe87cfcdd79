"""The server: requests of one client, each answered in a task of its own."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any, NamedTuple

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from skillstudio import __version__
from skillstudio.mcp import resources
from skillstudio.mcp.commands import CommandFailed, CommandOutput, run_command
from skillstudio.mcp.places import AllowedFolders, PathRefused, allowed_folders, path_of_uri
from skillstudio.mcp.tools import TOOLS, Tool
from skillstudio.present.cutting import cut_value
from skillstudio.schema.bundle import read_bundled
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.outcome import Validator
from skillstudio.text.nearest import did_you_mean
from skillstudio.text.node import join_pointer
from skillstudio.text.safe import safe_text

_ROOM = 60_000
"""About how many bytes of JSON a result has; clients cut longer ones, or drop them."""
_CUTS = ((1_000, 60_000), (100, 10_000), (30, 2_000), (10, 500), (3, 200))
_AT_ONCE = 8  # Commands that run at the same time; more wait.
_ROOTS_SECONDS = 20.0
_PAGE = 100  # Resources that are listed at once.
_INSTRUCTIONS = (
    "Check and compare agent skills (folders with a SKILL.md or another manifest). Start with "
    "check_skill; explain_rule says why a problem matters."
)

Context = ServerRequestContext[dict[str, Any]]


class ServerOptions(NamedTuple):
    """What the user decides when the server is started."""

    command: tuple[str, ...]
    """How a command of skillstudio is started."""
    schemas: str
    """The folder with the JSON Schemas of the results of commands."""
    roots: tuple[str, ...] = ()
    """The folders that a client may use, whatever it asks for."""
    allow_run: bool = False


class CallRefused(Exception):
    """A call that is not answered; the message says why."""


class SkillMcpServer:
    """The handlers of one client's requests."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._tools = {tool.name: tool for tool in TOOLS if options.allow_run or not tool.is_run}
        self._limit = anyio.CapacityLimiter(_AT_ONCE)

    async def list_tools(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[self._tool(tool) for tool in self._tools.values()])

    def _tool(self, tool: Tool) -> types.Tool:
        output = read_bundled(os.path.join(self._options.schemas, f"{tool.output}.json"))
        return types.Tool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=tool.input_schema,
            # The protocol has objects only, and a list of a command is refused as a result.
            output_schema={**output, "type": "object"},
            annotations=types.ToolAnnotations(
                title=tool.title,
                read_only_hint=not tool.is_run,
                destructive_hint=False,
                idempotent_hint=not tool.is_run,
                open_world_hint=tool.is_run,
            ),
        )

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        try:
            tool = self._find(params.name)
            arguments = params.arguments or {}
            _validate(tool, arguments)
            folders = AllowedFolders(())
            if tool.needs_folders:
                answer = await self._folders(context, params)
                if isinstance(answer, types.InputRequiredResult):
                    return answer
                folders = answer
            # A search for a name reads many folders.
            command = await anyio.to_thread.run_sync(
                tool.command, folders, arguments, abandon_on_cancel=True
            )
            async with self._limit:
                output = await run_command(
                    (*self._options.command, *command.arguments),
                    command.root or os.sep, command.stdin, command.seconds,
                )  # fmt: skip
            return _result(await anyio.to_thread.run_sync(_value, output))
        except (CallRefused, CommandFailed, PathRefused, ValueError) as error:
            return _error(str(error))
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            return _error(f"{where}{error.strerror or error}")
        except Exception as error:
            return _error(_report_crash(error))

    def _find(self, name: str) -> Tool:
        tool = self._tools.get(name)
        if tool is not None:
            return tool
        if any(other.name == name for other in TOOLS):
            raise CallRefused(f"{name} is off; start the server with --allow-run to allow runs")
        raise CallRefused(f"unknown tool {name}{did_you_mean(name, self._tools)}")

    async def _folders(
        self, context: Context, params: types.CallToolRequestParams
    ) -> AllowedFolders | types.InputRequiredResult:
        """The folders that this client may use, or the question for them. Raises PathRefused."""
        if self._options.roots:
            return allowed_folders(self._options.roots)
        capabilities = context.session.client_capabilities
        if capabilities is None or capabilities.roots is None:
            return _working_folder()
        root_list: types.ListRootsResult
        if context.session.can_send_request:
            root_list = await _ask_roots(context)
        else:
            # Since 2026-07-28 a question is the result of the first call.
            answer = (params.input_responses or {}).get("roots")
            if answer is None:
                return types.InputRequiredResult(input_requests={"roots": types.ListRootsRequest()})
            if not isinstance(answer, types.ListRootsResult):
                raise CallRefused("the client answered roots/list with something else")
            root_list = answer
        if not root_list.roots:
            return _working_folder()
        return allowed_folders(
            path for root in root_list.roots if (path := path_of_uri(str(root.uri)))
        )

    async def list_resources(
        self, _: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        all_resources = await anyio.to_thread.run_sync(lambda: list(resources.resources()))
        cursor = params.cursor if params else None
        if cursor and not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 9):
            raise MCPError(types.INVALID_PARAMS, "unknown cursor")
        start = int(cursor or 0)
        next_cursor = str(start + _PAGE) if start + _PAGE < len(all_resources) else None
        return types.ListResourcesResult(
            resources=all_resources[start : start + _PAGE], next_cursor=next_cursor
        )

    async def list_templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=list(resources.TEMPLATES))

    async def read_resource(
        self, _: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            resource = await anyio.to_thread.run_sync(resources.read_resource, uri)
        except resources.ResourceUnknown as error:
            raise MCPError(types.INVALID_PARAMS, safe_text(str(error))) from None
        except Exception as error:
            raise MCPError(types.INTERNAL_ERROR, _report_crash(error)) from None
        content = types.TextResourceContents(
            uri=uri, mime_type=resource.mime_type, text=resource.text
        )
        return types.ReadResourceResult(contents=[content])

    async def complete(
        self, _: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        names = await anyio.to_thread.run_sync(resources.names, params.argument.name)
        matches = [name for name in names if name.startswith(params.argument.value)]
        completion = types.Completion(
            values=matches[:100], total=len(matches), has_more=len(matches) > 100
        )
        return types.CompleteResult(completion=completion)


def make_server(options: ServerOptions) -> Server[dict[str, Any]]:
    """A server with all its handlers."""
    handlers = SkillMcpServer(options)
    return Server(
        "skillstudio",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_completion=handlers.complete,
    )


async def _ask_roots(context: Context) -> types.ListRootsResult:
    """Ask for the client's roots at every call, because they may change. Raises CallRefused."""
    try:
        with anyio.fail_after(_ROOTS_SECONDS):
            return await context.session.send_request(
                types.ListRootsRequest(), types.ListRootsResult
            )
    except TimeoutError:
        raise CallRefused("the client did not answer roots/list") from None
    except MCPError as error:
        raise CallRefused(f"the client refused roots/list: {error.message}") from None


def _working_folder() -> AllowedFolders:
    """The working directory, unless it is the whole machine. Raises PathRefused."""
    folder = os.getcwd()
    if folder == os.path.dirname(folder):
        raise PathRefused(
            "the client gives no folders and the server runs in the root folder; start the server "
            "with --root DIR"
        )
    return allowed_folders([folder])


def _validate(tool: Tool, arguments: dict[str, Any]) -> None:
    """Raises CallRefused with everything that is wrong with the arguments of a call."""
    wrong = sorted(
        _validator(tool.name).errors(arguments, 10), key=lambda violation: str(violation.instance)
    )
    if wrong:
        messages = "; ".join(
            _add_pointer(error.message, join_pointer(error.instance)) for error in wrong
        )
        raise CallRefused(f"{tool.name}: {messages}")


def _add_pointer(message: str, pointer: str) -> str:
    return f"{pointer}: {message}" if pointer else message


@cache
def _validator(name: str) -> Validator:
    return compile_schema(next(tool.input_schema for tool in TOOLS if tool.name == name))


def _value(output: CommandOutput) -> dict[str, Any]:
    """What a command printed. Raises CallRefused with its error."""
    try:
        value = json.loads(output.stdout)
    except ValueError:
        raise CallRefused(output.stderr.strip() or "the command ended without a result") from None
    if not isinstance(value, dict) or value.keys() == {"error"}:
        raise CallRefused(str(value["error"]) if isinstance(value, dict) else "no result")
    return cut_value(value, _CUTS, _ROOM, "ask for less")


def _result(value: dict[str, Any]) -> types.CallToolResult:
    content = types.TextContent(text=json.dumps(value))
    return types.CallToolResult(content=[content], structured_content=value)


def _error(message: str) -> types.CallToolResult:
    text = safe_text(message, keep_newlines=True)
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)


def _report_crash(error: Exception) -> str:
    from skillstudio.files.state import state_folder
    from skillstudio.session.crash import report_crash

    return report_crash(error, os.path.join(state_folder(), "reports"), ["mcp"])
