import type { AnswerOf } from '../../../api/index.ts'
import type { Html } from '../../html/index.ts'
import type { serverLoad } from '../../operations.ts'
import { Stacks } from '../../parts/stacks.tsx'
import { size } from '../../parts/words.ts'

type Samples = AnswerOf<typeof serverLoad>
type Sample = Samples[number]

/** A column stands for so many milliseconds. */
const stepMs = 5 * 60_000
/** As many as the server keeps samples for: four hours. */
const mostColumns = 48

/** The samples of each five minutes of the last four hours, with the time at which they begin. */
function groupsOf(samples: Samples): { name: string; samples: Sample[] }[] {
  const groups = Map.groupBy(samples, ({ at }) => Math.floor(Date.parse(at) / stepMs) * stepMs)
  const last = Math.max(...groups.keys())
  return Array.from({ length: mostColumns }, (_, index) => {
    const at = last - (mostColumns - 1 - index) * stepMs
    return { name: `${new Date(at).toISOString().slice(11, 16)} UTC`, samples: groups.get(at) ?? [] }
  })
}

const sum = (samples: readonly Sample[], name: keyof Omit<Sample, 'at'>) =>
  samples.reduce((before, sample) => before + sample[name], 0)
const most = (samples: readonly Sample[], name: keyof Omit<Sample, 'at'>) =>
  Math.max(0, ...samples.map((sample) => sample[name]))

/** The requests, delays, memory and jobs of the last hours. */
export function LoadPlots({ samples }: { samples: Samples }): Html {
  if (samples.length === 0) return <p class="soft">The load is shown from the first full minute after the start on.</p>
  const groups = groupsOf(samples)
  const columns = (partsOf: (samples: Sample[]) => number[]) =>
    groups.map(({ name, samples: members }) => ({
      name,
      // The server did not run, or not for a whole minute.
      parts: members.length === 0 ? [null, null] : partsOf(members),
    }))
  const requests = sum(samples, 'requests')
  return (
    <div class="plots">
      <section>
        <h3>Requests</h3>
        <p class="sub">
          {requests.toLocaleString('en')} in all, {sum(samples, 'errors').toLocaleString('en')} failed
        </p>
        <Stacks
          label="Requests in five minutes"
          kinds={['Answered', 'Failed']}
          by="From"
          columns={columns((ones) => [sum(ones, 'requests') - sum(ones, 'errors'), sum(ones, 'errors')])}
        />
      </section>
      <section>
        <h3>Background jobs</h3>
        <p class="sub">
          {sum(samples, 'jobs_done').toLocaleString('en')} done, {sum(samples, 'jobs_failed').toLocaleString('en')}{' '}
          failed
        </p>
        <Stacks
          label="Background jobs in five minutes"
          kinds={['Done', 'Failed']}
          by="From"
          columns={columns((ones) => [sum(ones, 'jobs_done'), sum(ones, 'jobs_failed')])}
        />
      </section>
      <section>
        <h3>Delay of the event loop</h3>
        <p class="sub">{most(samples, 'event_loop_delay_ms')} ms at the most</p>
        <Stacks
          label="Longest delay of the event loop in five minutes"
          kinds={['Delay']}
          by="From"
          columns={columns((ones) => [most(ones, 'event_loop_delay_ms')])}
          shown={(delay) => `${delay} ms`}
        />
      </section>
      <section>
        <h3>Memory</h3>
        <p class="sub">{size(most(samples, 'memory_bytes'))} at the most</p>
        <Stacks
          label="Most memory in five minutes"
          kinds={['Memory']}
          by="From"
          columns={columns((ones) => [most(ones, 'memory_bytes')])}
          shown={size}
        />
      </section>
    </div>
  )
}
