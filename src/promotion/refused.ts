/** A secondary cannot be promoted. The message is one sentence for the operator. */
export class PromotionRefused extends Error {
  override name = 'PromotionRefused'
}
