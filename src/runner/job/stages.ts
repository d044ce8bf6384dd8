import { parseDuration } from '../../infra/durations/index.ts'
import { downloadDependencies, uploadArtifacts } from './artifacts.ts'
import { restoreCaches, saveCaches } from './caches.ts'
import { type JobContext, JobFailure } from './context.ts'
import { type Ends, failureOf, within } from './ends.ts'
import { runScript } from './scripts.ts'
import { getSources } from './sources.ts'

const defaultAfterScriptMs = 300_000

/** Says what the job asks for and does not get. @throws JobFailure for services, without which it cannot run */
function requireSupported({ payload, log }: JobContext): void {
  const { services, image } = payload
  if (services.length > 0) {
    const names = services.map(({ name }) => name).join(', ')
    throw new JobFailure(
      'runner_system_failure',
      `this runner has no services (${names}): they need gitlab-runner with its docker executor`,
    )
  }
  if (image) log.notice(`the image ${image.name} is ignored: this runner runs jobs with the shell of the machine`)
}

/** @param key of a variable with a duration @returns milliseconds */
function limitOf({ environment, log }: JobContext, key: string): number | null {
  const text = environment[key]
  if (!text) return null
  const seconds = parseDuration(text)
  if (seconds === null) log.notice(`${key}: ${text} is not a duration`)
  return seconds === null ? null : seconds * 1000
}

/** @throws JobFailure when a command fails */
async function runMainScript(context: JobContext, ends: Ends): Promise<void> {
  const script = context.payload.steps.find(({ name }) => name === 'script')
  if (!script) return
  const limited = { ...context, signal: ends.script.signal }
  const abort = (reason: JobFailure) => ends.script.abort(reason)
  const code = await within(context.clock, limitOf(context, 'RUNNER_SCRIPT_TIMEOUT'), abort, () =>
    runScript(limited, { name: script.name, commands: script.script }),
  )
  if (code !== 0) throw new JobFailure('script_failure', `exit code ${code}`, code)
}

/** Runs `after_script`, which does not decide about the result. */
async function runAfterScript(context: JobContext, ends: Ends, status: string): Promise<void> {
  const { payload, log, clock } = context
  const script = payload.steps.find(({ name }) => name === 'after_script')
  if (!script) return
  await log.section('after_script', 'Running after_script', async () => {
    const late = new AbortController()
    const limited = {
      ...context,
      environment: { ...context.environment, CI_JOB_STATUS: status },
      signal: AbortSignal.any([ends.all.signal, late.signal]),
    }
    const limitMs = limitOf(context, 'RUNNER_AFTER_SCRIPT_TIMEOUT') ?? defaultAfterScriptMs
    try {
      const code = await within(
        clock,
        limitMs,
        (reason) => late.abort(reason),
        () => runScript(limited, { name: script.name, commands: script.script }),
      )
      if (code !== 0) log.notice(`after_script failed, but the job goes on: exit code ${code}`)
    } catch (error) {
      ends.all.signal.throwIfAborted()
      log.notice(`after_script failed, but the job goes on: ${(error as Error).message}`)
    }
  })
}

/** Gets what the script needs. @throws JobFailure */
async function prepare(context: JobContext): Promise<void> {
  const { log, payload } = context
  await log.section('prepare_executor', 'Preparing the "shell" executor', async () => requireSupported(context))
  await log.section('get_sources', 'Getting source from Git repository', () => getSources(context))
  if (payload.cache.length > 0) await log.section('restore_cache', 'Restoring cache', () => restoreCaches(context))
  if (payload.dependencies.length > 0) {
    await log.section('download_artifacts', 'Downloading artifacts', () => downloadDependencies(context))
  }
}

/** Stores what the script has made. @throws JobFailure */
async function store(context: JobContext, isSuccess: boolean): Promise<void> {
  const { log, payload } = context
  const result = isSuccess ? 'success' : 'failure'
  if (payload.cache.length > 0) {
    const saving = () => saveCaches(context, isSuccess)
    await log.section(isSuccess ? 'archive_cache' : 'archive_cache_on_failure', `Saving cache for ${result}`, saving)
  }
  if (payload.artifacts?.length) {
    const title = `Uploading artifacts for ${result}`
    await log.section(`upload_artifacts_on_${result}`, title, () => uploadArtifacts(context, isSuccess))
  }
}

/** Runs the parts of a job in their order. @throws JobFailure */
export async function perform(context: JobContext, ends: Ends): Promise<void> {
  let failure: JobFailure | undefined
  await prepare({ ...context, signal: ends.script.signal })
  const { log } = context
  const running = () => runMainScript(context, ends)
  await log.section('step_script', 'Executing "step_script" stage of the job script', running).catch((error) => {
    failure = failureOf(error)
  })
  ends.all.signal.throwIfAborted()
  const status = ends.isCanceled ? 'canceled' : failure ? 'failed' : 'success'
  // After the timeout of the job there is no time for it, unless the script has a shorter one of its own.
  const isOver = failure?.reason === 'job_execution_timeout' && !context.environment.RUNNER_SCRIPT_TIMEOUT
  if (!isOver) await runAfterScript(context, ends, status)
  if (!ends.isCanceled) {
    await store({ ...context, signal: ends.all.signal }, !failure).catch((error) => {
      failure ??= failureOf(error)
    })
  }
  if (failure) throw failure
}
