import { addressOfPage } from '../../frame/addresses.ts'
import { pipelinesByDay } from '../../operations.ts'
import { page } from '../../page.ts'
import { duration, Empty } from '../../parts/parts.tsx'
import { Stacks } from '../../parts/stacks.tsx'

/** Pipelines by day: how many passed and failed, and how long they took. */
export const pipelineCharts = page({
  at: 'project',
  path: 'pipelines/charts',
  nav: { section: 'Build', label: 'Pipeline charts', operation: pipelinesByDay },
  async show(visit) {
    const days = await visit.read(pipelinesByDay, { id: visit.project.id })
    const counts = days.map(({ date, success, failed, total }) => ({
      name: date,
      parts: [success, failed, total - success - failed],
    }))
    const durations = days.map(({ date, duration: seconds }) => ({ name: date, parts: [seconds] }))
    return {
      title: 'Pipeline charts',
      crumbs: [['Pipelines', addressOfPage(visit, 'project', 'pipelines')]],
      body: days.every(({ total }) => total === 0) ? (
        <Empty title="No pipelines in the last 30 days." />
      ) : (
        <div class="derived">
          <section>
            <h2>Pipelines by day</h2>
            <Stacks label="Pipelines by day" kinds={['Passed', 'Failed', 'Others']} columns={counts} />
          </section>
          <section>
            <h2>Mean duration by day</h2>
            <Stacks label="Mean duration by day" kinds={['Duration']} columns={durations} shown={duration} />
          </section>
        </div>
      ),
    }
  },
})
