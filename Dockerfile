# The page and its interfaces in a container: on this machine, or as a Hugging Face Space (Docker SDK).
#   docker build -t deepcritical . && docker run --rm -p 127.0.0.1:7860:7860 deepcritical
FROM python:3.11-slim

# Spaces run containers as user 1000; /data is where they mount lasting storage.
RUN useradd --create-home --uid 1000 user && install -d -o user -g user /data
WORKDIR /app

# As scripts/setup.sh does, and for the reasons of docs/decisions/0002-torch-cpu-wheel.md.
RUN pip install --no-cache-dir --no-deps --no-index \
        --find-links https://download.pytorch.org/whl/cpu/torch/ torch==2.13.0

# The locked packages, over an empty stand-in for our own: a change of the code does not fetch them again.
COPY pyproject.toml constraints.txt ./
RUN install -d src/deepcritical && touch README.md LICENSE src/deepcritical/__init__.py && \
    pip install --no-cache-dir -c constraints.txt ".[app,llm,embeddings,offline,postgres,telemetry]"

COPY README.md LICENSE ./
COPY src src
RUN pip install --no-cache-dir --no-deps --force-reinstall .
COPY app.py ./

ENV DEEPCRITICAL_HOST=0.0.0.0 \
    DEEPCRITICAL_HTTP_CACHE=/data/http.sqlite \
    DATABASE_URL=sqlite:////data/runs.sqlite \
    GRADIO_ANALYTICS_ENABLED=False \
    GRADIO_TEMP_DIR=/tmp/gradio \
    PYTHONUNBUFFERED=1
USER user
EXPOSE 7860
# Without proxies, which a Docker client may set for every container.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", "from urllib.request import ProxyHandler, build_opener; build_opener(ProxyHandler({})).open('http://127.0.0.1:7860/api/health', timeout=4)"]
CMD ["python", "app.py"]
