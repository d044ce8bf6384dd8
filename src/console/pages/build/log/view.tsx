import { ApiError } from '../../../../api/index.ts'
import type { JobObject } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { Icon, withQuery } from '../../../parts/parts.tsx'
import { at } from '../../code/places.ts'
import { isBusy } from '../statuses.ts'
import { shownLines, type WrittenLog, writeLog } from './log.tsx'
import { type LogPart, partBytes, readPart } from './parts.ts'
import { type Hit, longestSearched, searchLog } from './search.ts'

/** A part of the log of a job, or the lines that have a text. */
export type ReadLog = { part: LogPart; written: WrittenLog } | { wanted: string; hits: readonly Hit[] } | 'hidden'

const numberOf = (text = '') => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : null)

/** Reads what the address names of a log: a part, or the lines with a text. */
export async function readLog(visit: Visit, job: JobObject): Promise<ReadLog> {
  const call = { id: visit.project.id, job_id: job.id }
  const { find = '' } = visit.query
  try {
    const wanted = find.trim().slice(0, longestSearched)
    if (wanted !== '') return { wanted, hits: await searchLog(visit, call, wanted) }
    const wantedPart = numberOf(visit.query.part)
    const part = await readPart(visit, call, { wanted: wantedPart, isGrowing: isBusy(job.status) })
    return { part, written: writeLog(part.text, numberOf(visit.query.lines) ?? (wantedPart ? 1 : undefined)) }
  } catch (error) {
    // A log with all variables is for developers.
    if (error instanceof ApiError && error.status === 403) return 'hidden'
    throw error
  }
}

type PartsProps = { visit: Visit; part: LogPart }

/** The parts of a long log. The last one has no number in its address, so that it stays the last. */
function Parts({ visit, part: { number, count } }: PartsProps) {
  if (count === 1) return <></>
  const href = (to: number) => withQuery(visit.path, { part: to === count ? null : to, lines: null, find: null })
  const link = (to: number, label: string) => to >= 1 && to <= count && to !== number && <a href={href(to)}>{label}</a>
  return (
    <nav class="pages" aria-label="Parts of the log">
      {link(1, 'First')}
      {number > 2 && link(number - 1, 'Before')}
      <span>
        Part {number} of {count}
      </span>
      {number < count - 1 && link(number + 1, 'After')}
      {link(count, 'Last')}
    </nav>
  )
}

/** The lines of a part that has more than are shown at once. */
function Steps({ visit, part, written: { step, steps } }: PartsProps & { written: WrittenLog }) {
  if (steps === 1) return <></>
  const href = (to: number) => withQuery(visit.path, { part: part.number, lines: to, find: null })
  return (
    <nav class="pages" aria-label="Lines of the part">
      {step > 1 && <a href={href(step - 1)}>Lines before</a>}
      <span>Lines from {((step - 1) * shownLines + 1).toLocaleString('en')} on</span>
      {step < steps && <a href={href(step + 1)}>Lines after</a>}
    </nav>
  )
}

function Bar({ visit, job, wanted = '' }: { visit: Visit; job: JobObject; wanted?: string }) {
  const address = at(visit, `jobs/${job.id}`)
  return (
    <div class="log-bar">
      <form method="get" action={address} role="search" aria-label="Search the log" class="inline-search">
        <input
          type="search"
          name="find"
          value={wanted}
          placeholder="Search the log"
          aria-label="Search the log"
          maxlength={longestSearched}
        />
      </form>
      {wanted !== '' && <a href={address}>Whole log</a>}
      <span class="grow"></span>
      <a href={at(visit, `jobs/${job.id}/raw`)}>Raw log</a>
      <a href="#log-end">To the end</a>
    </div>
  )
}

/** The step of a line in an address; the first one has none. */
const stepOf = (line: number) => (line > shownLines ? Math.ceil(line / shownLines) : null)

function Hits({ visit, job, hits }: { visit: Visit; job: JobObject; hits: readonly Hit[] }) {
  const isLong = hits.some(({ part }) => part > 1)
  return (
    <div class="log" role="region" aria-label="Lines of the log with this text" tabindex={0}>
      {hits.length === 0 && <p class="quiet-note">No line has this text.</p>}
      {hits.map(({ part, line, text }) => (
        <p>
          <a class="no" href={`${withQuery(at(visit, `jobs/${job.id}`), { part, lines: stepOf(line) })}#L${line}`}>
            {isLong ? `${part}:${line}` : line}
          </a>
          <span>{text}</span>
        </p>
      ))}
      {hits.length >= 200 && <p class="quiet-note">There may be more: these are the first 200 lines.</p>}
    </div>
  )
}

function Lines({ visit, job, part, written }: { visit: Visit; job: JobObject; part: LogPart; written: WrittenLog }) {
  const isFollowed = isBusy(job.status) && part.number === part.count && written.step === written.steps
  const raw = at(visit, `jobs/${job.id}/raw`)
  return (
    <>
      <Parts visit={visit} part={part} />
      <Steps visit={visit} part={part} written={written} />
      <div
        class="log"
        role="region"
        aria-label="Log"
        tabindex={0}
        data-log={isFollowed ? raw : undefined}
        data-byte={part.endByte}
        data-next={written.lines + 1}
        data-classes={written.classes}
        data-most={partBytes}
      >
        {written.html}
      </div>
      {part.sizeBytes === 0 && (
        <p class="quiet-note">
          {job.erased_at
            ? 'The log was erased.'
            : isBusy(job.status)
              ? 'Nothing is written yet.'
              : 'This job has no log.'}
        </p>
      )}
      <p id="log-end">
        {isFollowed && (
          <span class="soft">
            <Icon name="running" /> The job runs. New lines appear here.
          </span>
        )}
      </p>
      <Steps visit={visit} part={part} written={written} />
      <Parts visit={visit} part={part} />
    </>
  )
}

/** The log of a job. */
export function LogView({ visit, job, log }: { visit: Visit; job: JobObject; log: ReadLog }) {
  if (log === 'hidden') return <p class="lead">The log of this job shows its variables. Developers may read it.</p>
  return (
    <div>
      <Bar visit={visit} job={job} {...('hits' in log && { wanted: log.wanted })} />
      {'hits' in log ? (
        <Hits visit={visit} job={job} hits={log.hits} />
      ) : (
        <Lines visit={visit} job={job} part={log.part} written={log.written} />
      )}
    </div>
  )
}
