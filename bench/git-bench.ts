import type { Caller } from './caller.ts'

/** What opens Fennec to root. */
export const token = 'glpat-bench-token-of-root'

/** Both servers, and where they keep what they serve. */
export type GitBench = {
  /** The repository that is pushed. */
  source: string
  folder: string
  floorRoot: string
  fennec: Caller
  /** Address of a repository of root on either side. */
  url: Record<'fennec' | 'floor', (name: string) => string>
  origins: Record<'fennec' | 'floor', string>
  /** Where Fennec speaks SSH, `ssh://git@…`. */
  sshOrigin: string
  serverPid: number | undefined
}

/** Makes an empty project; returns its id. */
export async function makeProject(fennec: Caller, name: string): Promise<number> {
  return JSON.parse(await fennec.call({ method: 'POST', path: '/api/v4/projects', body: { name } }, 201)).id
}
