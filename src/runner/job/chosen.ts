import { type Selection, select } from '../files/selection.ts'
import { type JobContext, runInJob } from './context.ts'
import { expandIn } from './environment.ts'

/** What `git ls-files` writes at the most. */
const mostBytes = 64 * 1024 * 1024

/** The files that git does not follow, ignored ones too. */
async function untrackedFiles(context: JobContext): Promise<string[]> {
  const parts: Buffer[] = []
  let size = 0
  const output = (bytes: Buffer) => {
    size += bytes.length
    if (size <= mostBytes) parts.push(bytes)
  }
  const code = await runInJob(context, ['git', 'ls-files', '--others', '-z'], { output })
  if (code !== 0 || size > mostBytes) {
    context.log.notice('the untracked files cannot be listed')
    return []
  }
  const names = Buffer.concat(parts).toString().split('\0')
  return names.filter((name) => name !== '')
}

/** Chooses files of the project for an artifact or a cache, and says in the log what was not found. */
export async function chooseFiles(
  context: JobContext,
  { paths, exclude = [], untracked }: { paths: string[]; exclude?: string[]; untracked: boolean },
): Promise<Selection> {
  const { folders, environment, log } = context
  const expanded = (texts: string[]) => texts.map((text) => expandIn(environment, text)).filter((text) => text !== '')
  const wanted = { paths: expanded(paths), exclude: expanded(exclude) }
  const found = await select(folders.project, {
    ...wanted,
    untracked: untracked ? await untrackedFiles(context) : [],
  })
  for (const pattern of found.unmatched) log.notice(`${pattern}: no matching files`)
  for (const pattern of found.outside) log.notice(`${pattern}: is outside of the project's folder, and left out`)
  return found
}
