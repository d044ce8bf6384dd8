import type { Html } from '../../../../html/index.ts'
import { mergeTrainsAdd } from '../../../../operations.ts'
import type { Visit } from '../../../../page.ts'
import { pathOfUrl } from '../../../../parts/discussion/index.ts'
import { Do } from '../../../../parts/form.tsx'
import { Icon, Status } from '../../../../parts/parts.tsx'
import type { ReadRequest } from '../read.ts'
import { trainAddress } from './list.tsx'
import type { ReadTrain } from './read.ts'
import { carInWords } from './words.ts'

/** Where a merge request is on its train. */
export function OnTrain({ visit, train: { car, place } }: { visit: Visit; train: ReadTrain }): Html {
  if (!car) return <></>
  return (
    <p>
      <Icon name="running" />{' '}
      <a href={trainAddress(visit, car.target_branch)}>
        {place ? `Number ${place.position} of ${place.of} on the merge train` : 'On the merge train'}
      </a>
      , which {car.user.name} added it to. {carInWords[car.status]}.{' '}
      {car.pipeline && <Status status={car.pipeline.status} href={pathOfUrl(car.pipeline.web_url)} />}
    </p>
  )
}

type FormProps = { visit: Visit; of: ReadRequest; train: ReadTrain }

/** The button that adds a merge request to the train of its target branch. */
export function TrainForm({ visit, of: { request, call }, train }: FormProps): Html {
  if (!train.mayAdd) return <></>
  const isReady = request.detailed_merge_status === 'mergeable'
  const wish = { sha: request.sha, ...(!isReady && { auto_merge: true }) }
  return (
    <Do visit={visit} performs={mergeTrainsAdd} call={{ ...call, ...wish }} kind={isReady ? 'primary' : undefined}>
      Add to the merge train{!isReady && ' when its checks have passed'}
    </Do>
  )
}
