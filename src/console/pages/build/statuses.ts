const busy = ['created', 'waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending', 'running', 'canceling']

/** Whether a pipeline or job goes on by itself. */
export const isBusy = (status: string) => busy.includes(status)

/** Whether a pipeline or job has ended. */
export const hasEnded = (status: string) => ['success', 'failed', 'canceled', 'skipped'].includes(status)

/** How many seconds lie between two times; null where one is missing. */
export function secondsBetween(from: string | null | undefined, to: string | null | undefined): number | null {
  return from && to ? Math.max(0, Date.parse(to) - Date.parse(from)) / 1000 : null
}

const reasons: Readonly<Record<string, string>> = {
  script_failure: 'A command of the script failed.',
  api_failure: 'The runner could not speak with the server.',
  stuck_or_timeout_failure: 'The job was stuck, or no runner took it in time.',
  runner_system_failure: 'The runner failed.',
  missing_dependency_failure: 'Artifacts that it needs are gone.',
  runner_unsupported: 'The runner lacks a feature that the job needs.',
  job_execution_timeout: 'It took longer than its timeout.',
  user_blocked: 'The user who ran it is blocked.',
  no_matching_runner: 'No runner may take it.',
  trace_size_exceeded: 'Its log was too long.',
  unmet_prerequisites: 'What it needs was not done.',
}

/** Why a job failed, in words. */
export const reasonOf = (reason: string | undefined) =>
  reason === undefined
    ? ''
    : (reasons[reason] ?? `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`.replaceAll('_', ' '))
