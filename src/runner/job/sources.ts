import { appendFile, lstat, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing } from '../../infra/files/index.ts'
import { type JobContext, JobFailure, runInJob } from './context.ts'
import { runScript } from './scripts.ts'

/** Git does not ask for credentials, and reads no setting that a job before has left. */
const quietly = { GIT_TERMINAL_PROMPT: '0', GCM_INTERACTIVE: 'never' }

async function git(context: JobContext, ...parameters: string[]): Promise<void> {
  const code = await runInJob(context, ['git', ...parameters], { environment: quietly }).catch((error: Error) => {
    context.signal.throwIfAborted()
    throw new JobFailure('runner_system_failure', `git cannot be run: ${error.message}`)
  })
  if (code !== 0) throw new JobFailure('runner_system_failure', `git ${parameters[0]} ended with exit code ${code}`)
}

/** A value in a file of settings of git. */
const setting = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

/** Settings, hooks and locks of jobs before are removed: git would run what they name. */
async function cleanRepository(folder: string): Promise<void> {
  const own = join(folder, '.git')
  const found = await lstat(own).catch(ignoreMissing)
  if (found && !found.isDirectory()) await rm(own, { force: true })
  const names = (await readdir(own).catch(ignoreMissing)) ?? []
  const left = names.filter(
    (name) => ['config', 'config.worktree', 'hooks', 'info'].includes(name) || name.endsWith('.lock'),
  )
  for (const name of left) await rm(join(own, name), { recursive: true, force: true })
}

/** The address of the origin has the token of the job: it goes into the file, since command lines can be seen. */
async function initialise({ folders, payload, ...context }: JobContext): Promise<void> {
  const { repo_url, repo_object_format } = payload.git_info
  await cleanRepository(folders.project)
  await git({ folders, payload, ...context }, 'init', '--quiet', '--template=', `--object-format=${repo_object_format}`)
  const origin = `[remote "origin"]\n\turl = ${setting(repo_url)}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`
  await appendFile(join(folders.project, '.git', 'config'), origin)
}

async function fetchSources(context: JobContext): Promise<void> {
  const { depth, refspecs } = context.payload.git_info
  const isShallow = (await stat(join(context.folders.project, '.git', 'shallow')).catch(ignoreMissing)) !== null
  const history = depth > 0 ? [`--depth=${depth}`] : isShallow ? ['--unshallow'] : []
  const flags = ['--no-recurse-submodules', '--prune', '--quiet', '--force']
  await git(context, 'fetch', ...flags, ...history, 'origin', ...refspecs)
}

async function checkOut(context: JobContext): Promise<void> {
  const { environment, payload } = context
  if (environment.GIT_CHECKOUT === 'false') return context.log.line('Skipping the checkout (GIT_CHECKOUT is false)')
  await git(context, 'checkout', '--force', '--quiet', '--detach', payload.git_info.sha)
  const flags = environment.GIT_CLEAN_FLAGS?.trim() || '-ffdx'
  if (flags !== 'none') await git(context, 'clean', '--quiet', ...flags.split(/\s+/))
  context.log.line(`Checked out ${payload.git_info.sha.slice(0, 8)} as detached HEAD (ref is ${payload.git_info.ref})`)
}

/** Submodules are read with the credentials of the project's own address, so relative addresses work. */
async function fetchSubmodules(context: JobContext): Promise<void> {
  const { GIT_SUBMODULE_STRATEGY: strategy = 'none', GIT_SUBMODULE_DEPTH: depth } = context.environment
  if (strategy === 'none') return
  if (!['normal', 'recursive'].includes(strategy)) {
    throw new JobFailure('runner_system_failure', `GIT_SUBMODULE_STRATEGY ${strategy} is unknown`)
  }
  const recursive = strategy === 'recursive' ? ['--recursive'] : []
  await git(context, 'submodule', 'sync', '--quiet', ...recursive)
  const depths = depth ? [`--depth=${Number(depth) || 1}`] : []
  await git(context, 'submodule', 'update', '--init', '--quiet', '--force', ...recursive, ...depths)
}

async function beforeSources(context: JobContext): Promise<void> {
  const hook = context.payload.hooks.find(({ name }) => name === 'pre_get_sources_script')
  if (!hook) return
  const { builds: folder } = context.folders
  const code = await runScript(context, { name: hook.name, commands: hook.script, folder })
  if (code !== 0) throw new JobFailure('script_failure', `pre_get_sources_script ended with exit code ${code}`, code)
}

/**
 * Brings the sources of the job into its folder, by `GIT_STRATEGY`: `fetch` goes on from those of the job before, `clone` from nothing,
 * `empty` leaves an empty folder, and `none` what is there.
 * @throws JobFailure
 */
export async function getSources(context: JobContext): Promise<void> {
  const { folders, payload, environment, log } = context
  const strategy = environment.GIT_STRATEGY ?? (payload.allow_git_fetch ? 'fetch' : 'clone')
  if (!['fetch', 'clone', 'none', 'empty'].includes(strategy)) {
    throw new JobFailure('runner_system_failure', `GIT_STRATEGY ${strategy} is unknown`)
  }
  await beforeSources(context)
  if (strategy === 'clone' || strategy === 'empty') await rm(folders.project, { recursive: true, force: true })
  await mkdir(folders.project, { recursive: true })
  if (strategy === 'none' || strategy === 'empty') return log.line(`Skipping the sources (GIT_STRATEGY is ${strategy})`)
  log.line(`Fetching changes with git depth set to ${payload.git_info.depth}`)
  const isReused = (await stat(join(folders.project, '.git')).catch(ignoreMissing)) !== null
  await update(context).catch(async (error) => {
    context.signal.throwIfAborted()
    if (!isReused) throw error
    log.notice(`the sources of the job before cannot be used: ${error.message}`)
    await rm(folders.project, { recursive: true, force: true })
    await mkdir(folders.project)
    await update(context)
  })
  await fetchSubmodules(context)
}

async function update(context: JobContext): Promise<void> {
  await initialise(context)
  await fetchSources(context)
  await checkOut(context)
}
