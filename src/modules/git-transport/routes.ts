import type { ServedRoute } from '../../api/index.ts'

const refused = {
  401: { description: 'Credentials are missing or wrong', mediaType: 'text/plain' },
  403: { description: 'The caller may not do this; the text contains the reason', mediaType: 'text/plain' },
  404: { description: 'Not found, or not visible to the caller', mediaType: 'text/plain' },
}

const unsupported = { 415: { description: 'The content type is not that of the service' } }

type Route = Omit<ServedRoute, 'tag'>

const routes: readonly Route[] = [
  {
    id: 'git.info_refs',
    contract: 'x.git_info_refs',
    method: 'GET',
    path: '/{project_path}.git/info/refs',
    summary: 'The refs of a repository, as the first step of a fetch or push',
    description: 'The smart protocol of git, versions 0 to 2 (`Git-Protocol`).',
    query: { service: { required: true, description: '`git-upload-pack` to read, `git-receive-pack` to write.' } },
    answers: {
      200: { description: 'The advertisement', mediaType: 'application/x-git-upload-pack-advertisement' },
      ...refused,
    },
  },
  {
    id: 'git.upload_pack',
    contract: 'x.git_upload_pack',
    method: 'POST',
    path: '/{project_path}.git/git-upload-pack',
    summary: 'Fetch or clone',
    description: 'Needs `read_code`, and a token with `read_repository`, `write_repository` or `api`.',
    takes: 'application/x-git-upload-pack-request',
    answers: {
      200: { description: 'The pack', mediaType: 'application/x-git-upload-pack-result' },
      ...refused,
      ...unsupported,
    },
  },
  {
    id: 'git.receive_pack',
    contract: 'x.git_receive_pack',
    method: 'POST',
    path: '/{project_path}.git/git-receive-pack',
    summary: 'Push',
    description:
      'Needs `push_code`, and a token with `write_repository` or `api`. Refused refs are reported in the protocol.',
    takes: 'application/x-git-receive-pack-request',
    answers: {
      200: { description: 'The result for each ref', mediaType: 'application/x-git-receive-pack-result' },
      ...refused,
      ...unsupported,
    },
  },
  {
    id: 'git.redirect',
    contract: 'x.git_redirect',
    method: 'GET',
    path: '/{project_path}/info/refs',
    summary: 'Redirect from the address without `.git`',
    description: 'For clients that use the address of the page of the project.',
    query: { service: { required: true, description: '`git-upload-pack` or `git-receive-pack`.' } },
    answers: { 301: { description: 'The address with `.git`' }, 404: { description: 'There is no such address' } },
  },
]

/** The three requests of the smart protocol. */
const transfers = routes.filter(({ id }) => id !== 'git.redirect')

/** The same requests for the repositories of snippets. @param path up to `.git` */
function ofSnippets(path: string, prefix: 'snippet' | 'project_snippet', whose: string): Route[] {
  const names: Record<string, string> = { info_refs: 'refs', upload_pack: 'upload_pack', receive_pack: 'receive_pack' }
  return transfers.map((route) => {
    const name = route.id.replace('git.', '')
    const reads =
      name === 'info_refs' ? route.description : 'Needs a token with `read_repository`, `write_repository` or `api`.'
    return {
      ...route,
      id: `git.${prefix}_${name}`,
      contract: `x.${prefix}_git_${names[name]}`,
      path: route.path.replace('/{project_path}', path),
      summary: `${route.summary} (${whose})`,
      description:
        name === 'receive_pack' ? 'For the author and administrators; in a project, for maintainers too.' : reads,
    }
  })
}

const snippetRoutes = [
  ...ofSnippets('/snippets/{id}', 'snippet', 'a snippet'),
  ...ofSnippets('/{project_path}/snippets/{id}', 'project_snippet', 'a snippet of a project'),
]

/** Documentation of git over HTTP (contract 22, "git transport"; contract 09, x.snippet_git_refs). */
export const gitRoutes: readonly ServedRoute[] = [...routes, ...snippetRoutes].map((route) => ({
  ...route,
  tag: 'Git',
}))
