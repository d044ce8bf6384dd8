import { access, constants, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { coloured } from '../log/job-log.ts'
import { type JobContext, runInJob } from './context.ts'

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** What the log shows of a command before it runs. */
function shown(command: string): string {
  const [first = '', ...others] = command.trim().split('\n')
  return `${coloured('green', `$ ${first}`)}${others.length === 0 ? '' : ' # collapsed multi-line command'}`
}

/** The first command that fails ends the script, also one within a pipe where the shell knows this. */
const beginning = [
  'set -e',
  'if (set -o pipefail) 2>/dev/null; then set -o pipefail; fi',
  'set +o noclobber 2>/dev/null || :',
]

/** A script with these commands, each of which is shown before it runs. */
export function scriptOf(commands: readonly string[]): string {
  const lines = commands.flatMap((command) => [`printf '%s\\n' ${quoted(shown(command))}`, command])
  return `${[...beginning, ...lines].join('\n')}\n`
}

/** Whether one of the folders of `PATH` has a program. */
async function isFound(path: string, program: string): Promise<boolean> {
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  const found = folders.map((folder) =>
    access(join(folder, program), constants.X_OK)
      .then(() => true)
      .catch(() => false),
  )
  return (await Promise.all(found)).includes(true)
}

/** The shell that runs the scripts of a job. Settings of the user are not read. */
export async function findShell({
  PATH = '',
}: Readonly<Record<string, string>>): Promise<readonly [string, ...string[]]> {
  return (await isFound(PATH, 'bash')) ? ['bash', '--noprofile', '--norc'] : ['/bin/sh']
}

/**
 * Runs commands in a new shell. They are in a file, so that no command line shows them.
 * @returns the exit code
 */
export async function runScript(
  context: JobContext,
  { name, commands, folder }: { name: string; commands: readonly string[]; folder?: string },
): Promise<number> {
  const file = join(context.folders.temporary, `${name}.sh`)
  await writeFile(file, scriptOf(commands), { mode: 0o600 })
  const [shell, ...options] = await findShell(context.environment)
  return runInJob(context, [shell, ...options, file], folder === undefined ? {} : { folder })
}
