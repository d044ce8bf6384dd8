import { execFile } from 'node:child_process'
import { mkdir, rm, statfs, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Failure } from '../failed.ts'
import type { CampaignOptions } from '../part.ts'
import { holdsIn, openStage, playRounds, readinessOf, type Stage } from '../stage.ts'

/** `megabytes`: the size of the disk. `fault`: the longest time without room, in milliseconds. */
type DiskOptions = CampaignOptions & { megabytes: number; fault: number }

const run = promisify(execFile)
const returnMs = 30_000

/**
 * Room or storage is missing: 503 and 507 say so. Git tells a pusher in words; the connection of a push may break off.
 */
const belongsToFault = ({ status, text }: Failure) =>
  status === 503 || status === 507 || (status === 0 && !text.includes('error: 500'))

/** A file that takes all room but a little. */
async function fill(disk: string, leftBytes: number): Promise<void> {
  const ballast = join(disk, 'ballast')
  const { bavail, bsize } = await statfs(disk)
  const bytes = Math.max(0, bavail * bsize - leftBytes)
  // A write stops where the room ends.
  await writeFile(ballast, Buffer.alloc(bytes)).catch(() => {})
}

async function empty(disk: string): Promise<void> {
  await truncate(join(disk, 'ballast'), 0)
  await rm(join(disk, 'ballast'))
}

/** No room for a while: from none to a few blocks. */
async function withoutRoom({ random }: Stage, disk: string, faultMs: number): Promise<string> {
  const leftBytes = random() < 0.5 ? 0 : Math.floor(random() * 256 * 1024)
  await fill(disk, leftBytes)
  await sleep(faultMs * (0.3 + 0.7 * random()))
  await empty(disk)
  return `${leftBytes} bytes left`
}

/**
 * Nothing can be written for a while. Files that are open for writing forbid it, so it is the file system that refuses; and a mount is
 * made read-only where nothing is written, before it covers the folder.
 */
async function readOnly({ random }: Stage, folder: string, faultMs: number): Promise<string> {
  const beside = `${folder}.read-only`
  await mkdir(beside, { recursive: true })
  await run('mount', ['--bind', folder, beside])
  await run('mount', ['-o', 'remount,bind,ro', beside])
  await run('mount', ['--bind', beside, folder])
  await sleep(faultMs * (0.3 + 0.7 * random()))
  await run('umount', ['--lazy', folder])
  await run('umount', ['--lazy', beside])
  return 'objects and repositories read-only'
}

/**
 * Takes the room of the disk away, and gives it back, or makes folders read-only: what does not fit is refused with a clear error,
 * nothing that was acknowledged is lost, and the server goes on. Needs root, for a file system in memory.
 * @returns what is wrong, one sentence each
 */
export async function runCampaign(options: DiskOptions): Promise<string[]> {
  const { folder, fault, megabytes } = options
  const disk = join(folder, 'disk')
  await mkdir(disk)
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk])
  try {
    const data = join(disk, 'data')
    const stage = openStage({ ...options, data })
    await stage.start()
    return await playRounds(stage, options, async (round) => {
      let what = ''
      const play = async () => {
        what =
          round % 4 === 0
            ? await readOnly(stage, join(data, round % 8 === 0 ? 'objects' : 'repositories'), fault)
            : await withoutRoom(stage, disk, fault)
      }
      await stage.during(String(round), play, belongsToFault)
      if (!(await holdsIn(returnMs, async () => (await readinessOf(stage.server())) === 200))) {
        stage.problems.push(`round ${round}: the server is not ready after the fault`)
      }
      await stage.calmly(String(round), 5)
      return what
    })
  } finally {
    await run('umount', ['--lazy', disk])
  }
}
