// What of @huggingface/tokenizers 0.2.0 (Apache-2.0) is used here; tokenizers.js is dist/tokenizers.min.mjs of that package.

export declare class Tokenizer {
  constructor(tokenizer: object, config: object);
  encode(text: string, options?: { add_special_tokens?: boolean }): { ids: number[] };
  decode(ids: number[], options?: { skip_special_tokens?: boolean; clean_up_tokenization_spaces?: boolean }): string;
  id_to_token(id: number): string | undefined;
  token_to_id(token: string): number | undefined;
  get_added_tokens_decoder(): Map<number, unknown>;
}
