import { join } from 'node:path'
import type { Clock, Fennec, FennecOptions } from '../../../src/index.ts'

/** A clock that runs as the machine's does, from a moment that is set. */
export function clockFrom(start: string): Clock & { moveTo(moment: string): void } {
  let ahead = 0
  const moveTo = (moment: string) => {
    ahead = Date.parse(moment) - Date.now()
  }
  moveTo(start)
  return {
    moveTo,
    now: () => new Date(Date.now() + ahead),
    setTimer(fn, delayMs) {
      const timer = setTimeout(fn, Math.max(1, Math.min(delayMs, 2 ** 31 - 1))).unref()
      return { cancel: () => clearTimeout(timer) }
    },
  }
}

const root = join(import.meta.dirname, '../../..')

/** Starts a server in this process, from a bundle of the sources: only that has the style and the script. */
export async function startBundled(options: FennecOptions): Promise<Fennec> {
  const folder = join(root, '.cache', 'pictures')
  const { bundle } = await import(join(root, 'scripts', 'bundle.mjs'))
  await bundle(join(root, 'src', 'index.ts'), folder)
  const { startFennec } = (await import(join(folder, 'index.js'))) as typeof import('../../../src/index.ts')
  return startFennec(options)
}
