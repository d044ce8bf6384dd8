# Runs a Python program with the packages of requirements.txt.
FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1
WORKDIR /app
COPY requirements.txt ./
RUN pip install --no-cache-dir --requirement requirements.txt
COPY . .

USER 65532:65532
CMD ["python", "app.py"]
