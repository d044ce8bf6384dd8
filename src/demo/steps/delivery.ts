import { pushImage } from '../clients/images.ts'
import type { Project, Schedule } from '../world-types.ts'
import type { Place } from './place.ts'
import type { StepContext } from './step-context.ts'

/** Plans schedules of pipelines and their runs. */
export function planSchedules(context: StepContext, place: Place, schedules: readonly Schedule[]): void {
  const { ask } = context
  const what = `${place.name}: schedules`
  for (const { by, at, description, cron, variables = {}, runs } of schedules) {
    let id = 0
    const path = () => `${place.base()}/pipeline_schedules/${id}`
    context.plan(at, what, async () => {
      // It is off until all steps have run: the clock goes on by days, and a due time has to lead to one pipeline.
      const schedule = { description, cron, ref: 'main', active: false }
      id = (await ask(by, 'POST', `${place.base()}/pipeline_schedules`, schedule)).id
      for (const [key, value] of Object.entries(variables)) await ask(by, 'POST', `${path()}/variables`, { key, value })
    })
    for (const run of runs) {
      context.plan(run.at, what, async () => {
        await ask(by, 'POST', `${path()}/play`)
        await context.settle()
        await context.runner.work(run.fails)
        await context.settle()
      })
    }
    context.plan(context.endMs, what, async () => void (await ask(by, 'PUT', path(), { active: true })))
  }
}

/** Plans container images, which root pushes as a program would. */
export function planImages(context: StepContext, place: Place, images: NonNullable<Project['images']>): void {
  for (const { name, tag, at } of images) {
    context.plan(at, `${place.name}: images`, async () => {
      const { url, rootToken } = context.api
      await pushImage(url, rootToken, name === '' ? place.path : `${place.path}/${name}`, tag)
    })
  }
}
