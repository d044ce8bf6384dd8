import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { treeMib } from '../footprint.ts'
import { token } from '../git-bench.ts'
import { inTurn, pairsOf } from '../measure.ts'
import { answering, forms, startFennec, startGitea } from '../processes.ts'
import type { Result } from '../table.ts'

const rounds = 5
/** As the package runs, where it is built. */
const form = forms.at(-1)

/** From the start of the process on an empty folder to the first answer, and the memory of all its processes at rest. */
export async function measureStarts(gitea: string, folder: string): Promise<Result[]> {
  const memory = { fennec: [] as number[], floor: [] as number[] }
  const pairs = await inTurn(rounds, async (side, round) => {
    const data = join(folder, `${side}-${round}`)
    await mkdir(data)
    const server = side === 'fennec' ? await startFennec(data, token, form) : await startGitea(gitea, data)
    const ms = await (side === 'fennec'
      ? answering(server, '/api/v4/user', token)
      : answering(server, '/api/v1/version'))
    await sleep(500)
    memory[side].push(treeMib(server.process.pid))
    await server.stop()
    return ms
  })
  return [
    { name: 'first start', ...pairs, unit: 'ms', floorName: 'Gitea' },
    { name: 'memory at rest', ...pairsOf(memory), unit: 'MiB', floorName: 'Gitea' },
  ]
}
