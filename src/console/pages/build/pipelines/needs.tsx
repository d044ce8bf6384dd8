import type { PlannedJob } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { Status } from '../../../parts/parts.tsx'
import { words } from '../../../parts/words.ts'
import { type Placed, placeJobs } from './layout.ts'
import { addressOfJob } from './stages.tsx'

const box = { width: 180, height: 32, acrossGap: 56, downGap: 12 }
const longestName = 20
/** A larger graph is shown as a list only. */
const mostDrawn = 200
const mostLines = 2000

const xOf = ({ column }: Placed) => column * (box.width + box.acrossGap) + 1
const yOf = ({ row }: Placed) => row * (box.height + box.downGap) + 1

const shortened = (name: string) => (name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name)

/** A curve from the right of one box to the left of another. */
function curve(from: Placed, to: Placed): string {
  const [x, y] = [xOf(from) + box.width, yOf(from) + box.height / 2]
  const [toX, toY] = [xOf(to), yOf(to) + box.height / 2]
  const middle = (x + toX) / 2
  return `M${x} ${y}C${middle} ${y} ${middle} ${toY} ${toX} ${toY}`
}

function Box({ visit, placed }: { visit: Visit; placed: Placed }) {
  const { name, status, allow_failure: isAllowed } = placed.job
  const href = addressOfJob(visit, placed.job)
  const drawn = (
    <g class={`node ${status}${isAllowed ? ' allowed' : ''}`} transform={`translate(${xOf(placed)} ${yOf(placed)})`}>
      <title>{`${name}: ${words(status)}`}</title>
      <rect width={box.width} height={box.height} rx={6} />
      <circle cx={16} cy={box.height / 2} r={5} />
      <text x={30} y={box.height / 2 + 4}>
        {shortened(name)}
      </text>
    </g>
  )
  return href ? <a href={href}>{drawn}</a> : drawn
}

function Drawing({ visit, placed }: { visit: Visit; placed: readonly Placed[] }) {
  const byName = new Map(placed.map((one) => [one.job.name, one]))
  const width = Math.max(...placed.map(xOf)) + box.width + 2
  const height = Math.max(...placed.map(yOf)) + box.height + 2
  const lines = placed.flatMap((to) => to.before.flatMap((name) => (byName.has(name) ? [[byName.get(name), to]] : [])))
  return (
    <div class="scroll drawing" tabindex={0} role="region" aria-label="Graph of needs">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} class="needs">
        {lines.slice(0, mostLines).map(([from, to]) => (
          <path d={curve(from as Placed, to as Placed)} />
        ))}
        {placed.map((one) => (
          <Box visit={visit} placed={one} />
        ))}
      </svg>
    </div>
  )
}

/** What a job waits for, in words. @param first the first stage */
function waitsFor({ needs, stage, external }: PlannedJob, first: string | undefined): string {
  if (needs === null && stage !== first && !external) return 'Earlier stages'
  return needs === null || needs.length === 0 ? 'Nothing' : needs.join(', ')
}

/** What the jobs of a pipeline wait for: as a drawing, and as a list that also a narrow screen shows. */
export function Needs({ visit, jobs }: { visit: Visit; jobs: readonly PlannedJob[] }) {
  return (
    <div>
      {jobs.length > 0 && jobs.length <= mostDrawn && <Drawing visit={visit} placed={placeJobs(jobs)} />}
      <table class="list needs-list">
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">Status</th>
            <th scope="col">Waits for</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr>
              <td>
                <a class="strong" href={addressOfJob(visit, job)}>
                  {job.name}
                </a>
              </td>
              <td>
                <Status status={job.status} />
              </td>
              <td class="soft">{waitsFor(job, jobs[0]?.stage)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
