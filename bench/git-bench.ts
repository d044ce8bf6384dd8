import { type Caller, caller } from './caller.ts'
import type { Running, RunningForge } from './processes.ts'

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

/** Fennec beside a floor that serves the repositories of a folder. */
export function gitBenchOf(
  server: RunningForge,
  floor: Running,
  folders: Pick<GitBench, 'source' | 'folder' | 'floorRoot'>,
): GitBench {
  return {
    ...folders,
    fennec: caller(server.url, token),
    serverPid: server.process.pid,
    url: {
      fennec: (name) => `${server.url.replace('://', `://root:${token}@`)}/root/${name}.git`,
      floor: (name) => `${floor.url}/root/${name}.git`,
    },
    origins: { fennec: server.url, floor: floor.url },
    sshOrigin: server.sshUrl,
  }
}

/** Makes an empty project; returns its id. */
export async function makeProject(fennec: Caller, name: string): Promise<number> {
  return JSON.parse(await fennec.call({ method: 'POST', path: '/api/v4/projects', body: { name } }, 201)).id
}
