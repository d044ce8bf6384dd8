import { type Caller, caller } from '../caller.ts'
import { makeProject, token } from '../git-bench.ts'
import { answering, forms, type RunningForge, startFennecWithSsh, startGitea } from '../processes.ts'

/** A forge with what the scenarios ask of it, in the words of its own API. */
export type Forge = {
  server: RunningForge
  /** Opens a caller that acts as root. @param connections how many calls may be under way at once */
  open(connections?: number): Caller
  /** What its API answers: the caller, a page of 20 projects that the caller owns, one project. */
  paths: { user: string; owned: string; project(name: string): string }
  /** Creates a private project of root. */
  create(caller: Caller, name: string): Promise<unknown>
  addKey(caller: Caller, key: string): Promise<unknown>
  /** Addresses of a repository of root. */
  git: { http(name: string): string; ssh(name: string): string }
}
/** `floor` is the rival. */
export type Forges = Record<'fennec' | 'floor', Forge>

function addressesOf(server: RunningForge, secret: string): Forge['git'] {
  return {
    http: (name) => `${server.url.replace('://', `://root:${secret}@`)}/root/${name}.git`,
    ssh: (name) => `${server.sshUrl}/root/${name}.git`,
  }
}

/** Starts Fennec on a folder, as the package runs where it is built. */
export async function openFennec(data: string): Promise<Forge> {
  const server = await startFennecWithSsh(data, token, forms.at(-1))
  await answering(server, '/api/v4/user', token)
  return {
    server,
    open: (connections) => caller(server.url, token, connections),
    paths: {
      user: '/api/v4/user',
      owned: '/api/v4/projects?owned=true',
      project: (name) => `/api/v4/projects/root%2F${name}`,
    },
    create: makeProject,
    addKey: (root, key) => root.call({ method: 'POST', path: '/api/v4/user/keys', body: { title: 'bench', key } }, 201),
    git: addressesOf(server, token),
  }
}

/** Starts Gitea on a folder. @param binary path of its program */
export async function openGitea(binary: string, folder: string): Promise<Forge> {
  const server = await startGitea(binary, folder, { isSshServed: true })
  await answering(server, '/api/v1/version')
  const secret = await server.makeRoot()
  const open = (connections?: number): Caller => {
    const { call, close } = caller(server.url, secret, connections)
    const headers = { Authorization: `token ${secret}` }
    return { call: (one, expected) => call({ ...one, headers }, expected), close }
  }
  return {
    server,
    open,
    paths: {
      user: '/api/v1/user',
      owned: '/api/v1/user/repos?limit=20',
      project: (name) => `/api/v1/repos/root/${name}`,
    },
    create: (root, name) =>
      root.call({ method: 'POST', path: '/api/v1/user/repos', body: { name, private: true } }, 201),
    addKey: (root, key) => root.call({ method: 'POST', path: '/api/v1/user/keys', body: { title: 'bench', key } }, 201),
    git: addressesOf(server, secret),
  }
}
