import { ApiError } from './client.ts';

/** What ended a stream that had begun, as a refusal before it would have been: of the data of its event `failure`. */
export function brokenOff(data: string): ApiError {
  const { err, status, code, requestId, retryAfterSeconds } = JSON.parse(data) as {
    err: string;
    status: number;
    code: string;
    requestId: string;
    retryAfterSeconds?: number;
  };
  return new ApiError(err, status, code, requestId, { retryAfterSeconds });
}
