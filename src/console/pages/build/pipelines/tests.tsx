import { pipelinesTestReport, pipelinesTestReportSummary } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { Empty } from '../../../parts/parts.tsx'
import { at } from '../../code/places.ts'

/** The cases of a larger report are not shown. */
const mostCases = 5_000
const mostShown = 100

const time = (seconds: number) => `${seconds.toFixed(2)} s`

type Call = { id: number; pipeline_id: number }

/** The cases that have failed, with what they say. */
async function Failures({ visit, call }: { visit: Visit; call: Call }) {
  const { test_suites: suites } = await visit.read(pipelinesTestReport, call)
  const failed = suites.flatMap(({ name: suite, test_cases: cases }) =>
    cases.filter(({ status }) => status === 'failed' || status === 'error').map((one) => ({ suite, one })),
  )
  return (
    <ul class="rows">
      {failed.slice(0, mostShown).map(({ suite, one }) => (
        <li>
          <details class="grow">
            <summary>
              <span class="strong">{one.name}</span>{' '}
              <span class="soft">
                {suite} · {[one.classname, one.file].filter(Boolean).join(' · ')} · {time(one.execution_time)}
                {one.recent_failures &&
                  ` · failed ${one.recent_failures.count} times on ${one.recent_failures.base_branch} in 14 days`}
              </span>
            </summary>
            <pre class="problem" tabindex={0}>
              {one.system_output ?? 'It says nothing.'}
            </pre>
            {one.attachment_url && <a href={one.attachment_url}>Attachment</a>}
          </details>
        </li>
      ))}
    </ul>
  )
}

/** The tests of a pipeline by suites, and those that have failed. */
export async function Tests({ visit, call }: { visit: Visit; call: Call }) {
  const { total, test_suites: suites } = await visit.read(pipelinesTestReportSummary, call)
  if (suites.length === 0) {
    return <Empty title="No test reports.">Jobs upload them as `artifacts:reports:junit`.</Empty>
  }
  return (
    <section>
      <div class="scroll" tabindex={0} role="region" aria-label="Suites">
        <table class="list">
          <thead>
            <tr>
              {['Suite', 'Tests', 'Failed', 'Errors', 'Skipped', 'Passed', 'Time'].map((label) => (
                <th scope="col">{label}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {suites.map((suite) => (
              <tr>
                <td>
                  <a class="strong" href={at(visit, `jobs/${suite.build_ids[0]}`)}>
                    {suite.name}
                  </a>
                  {suite.suite_error && <p class="problem">{suite.suite_error}</p>}
                </td>
                <td data-label="Tests">{suite.total_count}</td>
                <td data-label="Failed">{suite.failed_count}</td>
                <td data-label="Errors">{suite.error_count}</td>
                <td data-label="Skipped">{suite.skipped_count}</td>
                <td data-label="Passed">{suite.success_count}</td>
                <td data-label="Time">{time(suite.total_time)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {total.failed + total.error > 0 &&
        (total.count > mostCases ? (
          <p class="soft">Of more than {mostCases} cases only the numbers are shown.</p>
        ) : (
          await Failures({ visit, call })
        ))}
    </section>
  )
}
