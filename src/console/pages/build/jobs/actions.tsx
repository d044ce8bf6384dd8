import { jobsCancel, jobsPlay, jobsRetry } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { Do } from '../../../parts/form.tsx'
import { Icon, type IconName } from '../../../parts/parts.tsx'
import { hasEnded, isBusy } from '../statuses.ts'

/** What the buttons need to know of a job. @property held what keeps the caller from starting it */
type Acted = { id: number; name: string; status: string; held?: 'approval' | 'protected' | null }

/** The operation that a job in this state is ready for. */
export function actOf(status: string) {
  if (status === 'manual' || status === 'scheduled')
    return { operation: jobsPlay, label: 'Run', icon: 'manual' } as const
  if (isBusy(status)) return { operation: jobsCancel, label: 'Cancel', icon: 'close' } as const
  const isRetryable = hasEnded(status) && status !== 'skipped'
  return isRetryable ? ({ operation: jobsRetry, label: 'Retry', icon: 'retry' } as const) : null
}

/** The operations that the buttons of jobs perform. */
export const jobActs = [jobsPlay, jobsCancel, jobsRetry]

/** The button of a job: run, cancel or retry. What it is refused for stands above (`Refused`). A retry leads to the page of the new job, unless the button is a small one. */
export function JobButtons({ visit, job, isSmall }: { visit: Visit; job: Acted; isSmall?: boolean }) {
  const act = actOf(job.status)
  if (!act || job.held === 'protected') return <></>
  const { operation, label, icon } = act
  if (job.held === 'approval' && operation === jobsPlay) return <></>
  return (
    <Do
      visit={{ ...visit, refused: null }}
      performs={operation}
      call={{ id: visit.project.id, job_id: job.id }}
      kind={isSmall ? 'quiet' : undefined}
      then={operation === jobsRetry && !isSmall ? ':made' : visit.path}
    >
      {isSmall ? <Icon name={icon satisfies IconName} label={`${label} ${job.name}`} /> : label}
    </Do>
  )
}
