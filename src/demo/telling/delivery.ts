import { pushImage } from '../speech/images.ts'
import type { Project, Schedule } from '../story.ts'
import type { Place } from './place.ts'
import type { Telling } from './telling.ts'

/** Plans schedules of pipelines and their runs. */
export function planSchedules(telling: Telling, place: Place, schedules: readonly Schedule[]): void {
  const { ask } = telling
  const what = `${place.name}: schedules`
  for (const { by, at, description, cron, variables = {}, runs } of schedules) {
    let id = 0
    const path = () => `${place.base()}/pipeline_schedules/${id}`
    telling.plan(at, what, async () => {
      // Until everything is told it is off: the clock goes on by days, and a due time has to lead to one pipeline.
      const schedule = { description, cron, ref: 'main', active: false }
      id = (await ask(by, 'POST', `${place.base()}/pipeline_schedules`, schedule)).id
      for (const [key, value] of Object.entries(variables)) await ask(by, 'POST', `${path()}/variables`, { key, value })
    })
    for (const run of runs) {
      telling.plan(run.at, what, async () => {
        await ask(by, 'POST', `${path()}/play`)
        await telling.settle()
        await telling.runner.work(run.fails)
        await telling.settle()
      })
    }
    telling.plan(telling.endMs, what, async () => void (await ask(by, 'PUT', path(), { active: true })))
  }
}

/** Plans container images, which root pushes as a program would. */
export function planImages(telling: Telling, place: Place, images: NonNullable<Project['images']>): void {
  for (const { name, tag, at } of images) {
    telling.plan(at, `${place.name}: images`, async () => {
      const { url, rootToken } = telling.api
      await pushImage(url, rootToken, name === '' ? place.path : `${place.path}/${name}`, tag)
    })
  }
}
