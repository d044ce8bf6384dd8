import { existsSync } from 'node:fs'

/** Programs that Fennec is compared with, and the variables with their paths. */
const variables = { Gitea: 'BENCH_GITEA', distribution: 'BENCH_DISTRIBUTION' }

/** The path of such a program. @returns undefined where it is not given, which is printed */
export function programOf(rival: keyof typeof variables): string | undefined {
  const path = process.env[variables[rival]]
  if (path && existsSync(path)) return path
  process.stdout.write(`Without ${rival}: ${variables[rival]} names no program.\n`)
  return undefined
}
