import { type ParamValues, t } from '../../../api/index.ts'
import { alertPath } from '../alerts/params.ts'

export const imagePath = { ...alertPath, image_id: t.id() }

/** Texts beside an image. */
export const imageTexts = {
  url: t.nullable(t.string({ description: 'Where the metric can be seen; http or https.' })),
  url_text: t.nullable(t.string({ description: 'What that address is called.' })),
}
export type ImageTexts = ParamValues<typeof imageTexts>

/** Parameters of x.metric_image_create. */
export const newImage = { file: t.requiredFile({ description: 'The image, at most 1 MiB.' }), ...imageTexts }
