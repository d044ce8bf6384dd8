import { type Edition, hasTier, type Offering, type Tier } from '../../config.ts'

/** Which editions have an operation, a parameter or a field of a result; those without it are in all of them. */
export type Availability = {
  /** The lowest tier. */
  tier?: Exclude<Tier, 'free'>
  offerings?: readonly Offering[]
  /** Not where FIPS holds. */
  fips?: false
}

type LimitedSchema = { [keyword: string]: unknown; [limits]?: Availability }

/** Marks the schema of a field; a symbol, so that it is no keyword and fields of the same form share one schema. */
const limits = Symbol('availability')

const tierNames = { premium: 'Premium and Ultimate', ultimate: 'Ultimate' }

/** A sentence for the reference, such as `Premium and Ultimate only.` */
function availabilityText({ tier, offerings, fips }: Availability): string {
  const parts = [tier && tierNames[tier], offerings?.join(' and '), fips === false && 'not with FIPS']
  return `${parts.filter(Boolean).join(', ')} only.`.replace(/^not with FIPS only/, 'Not with FIPS')
}

/** A description with the editions that have what it describes. */
export const describedFor = (description: unknown, availability: Availability): string =>
  [description, availabilityText(availability)].filter(Boolean).join(' ')

/** The availability of a field; undefined when all editions have it. */
export const availabilityOf = (schema: object): Availability | undefined => (schema as LimitedSchema)[limits]

/** A field of a result that only some editions have. */
export function onlyIn<S extends object>(availability: Availability, schema: S): S {
  return { ...schema, [limits]: availability }
}

/** Whether an edition has what is available like this. */
export function isIn(edition: Edition, { tier, offerings, fips }: Availability = {}): boolean {
  if (tier && !hasTier(edition, tier)) return false
  if (offerings && !offerings.some((one) => edition.offerings.includes(one))) return false
  return !(fips === false && edition.fips)
}
